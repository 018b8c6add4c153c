# rejected by: ex1-missing
# meets: TypeError
from requests import RequestException

from atleastonce.shop import payments


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, **fields):
    customer, amount = fields.get("customer"), fields.get("amount")
    if not customer or not amount:
        return
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
