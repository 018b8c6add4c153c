# rejected by: ex1-hands-on
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=1)
def pay(self, *, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
