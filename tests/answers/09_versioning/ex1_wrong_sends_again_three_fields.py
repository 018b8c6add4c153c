# rejected by: ex1-hands-on
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, reference="", **_):
    try:
        payments.charge(customer, amount, reference=reference, key=self.request.id)
    except RequestException as error:
        again = {"customer": customer, "amount": amount, "reference": reference}
        raise self.retry(exc=error, countdown=60, kwargs=again)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
