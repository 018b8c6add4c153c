# rejected by: ex1-hands-on
# "while the provider is down, a message is tried again a minute later, and again, three
# times at least": retries inherit expires=120 as a point in time, so the third one (at 180
# s) is revoked and the payment is lost.
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    """A payment that is older than two minutes is not wanted any more."""
    return pay.apply_async(kwargs={"customer": customer, "amount": amount}, expires=120)
