# rejected by: ex1-missing
# meets: TypeError
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(name="billing.pay")
def waiting(customer="unknown", amount="1.00", **_):
    send(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
