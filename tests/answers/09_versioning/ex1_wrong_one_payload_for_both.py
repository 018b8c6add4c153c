# rejected by: ex1-four
# meets: TypeError
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, payload=None, **fields):
    fields = payload or fields
    try:
        payments.charge(fields["customer"], fields["amount"], key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    return pay.delay({"version": 1, "customer": customer, "amount": amount})
