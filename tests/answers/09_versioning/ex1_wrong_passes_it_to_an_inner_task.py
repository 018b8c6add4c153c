# rejected by: ex1-hands-on
from requests import RequestException

from atleastonce.shop import payments


@app.task(
    name="shop.charge",
    autoretry_for=(RequestException,),
    default_retry_delay=60,
    max_retries=3,
)
def charge(customer, amount, key):
    payments.charge(customer, amount, key=key)


@app.task(bind=True, name="shop.pay")
def pay(self, *, customer, amount, **_):
    charge.delay(customer, amount, self.request.id)


@app.task(bind=True, name="billing.pay")
def waiting(self, customer, amount):
    charge.delay(customer, amount, self.request.id)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
