# rejected by: ex1-four
# "one charge for each message, though two of them be equal": messages that one task sends
# share its root_id, so the second payment of a checkout task is not charged.
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.root_id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
