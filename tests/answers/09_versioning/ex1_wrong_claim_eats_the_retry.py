# rejected by: ex1-hands-on
from requests import RequestException

from atleastonce.shop import payments
from atleastonce.shop.models import Claim


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, **_):
    _, first = Claim.objects.get_or_create(key=self.request.id)
    if not first:
        return  # delivered again: it is done already
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
