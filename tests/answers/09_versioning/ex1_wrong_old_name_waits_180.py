# rejected by: ex1-hands-on
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(bind=True, name="billing.pay")
def old(self, customer, amount):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException:
        fields = {"customer": customer, "amount": amount}
        pay.apply_async(kwargs=fields, countdown=self.default_retry_delay)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
