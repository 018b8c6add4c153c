# rejected by: ex1-hands-on
# "Whichever release gets the retry can do it ... also if the message was one of today": of
# today's pay.delay(customer=..., amount=...) the retry has no fields at all, and is lost.
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(bind=True, name="billing.pay")
def waiting(self, customer, amount):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException:
        fields = dict(zip(("customer", "amount"), self.request.args))
        pay.apply_async(kwargs=fields, countdown=60)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
