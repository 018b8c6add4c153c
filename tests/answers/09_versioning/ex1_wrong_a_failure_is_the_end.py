# rejected by: ex1-hands-on
from atleastonce.shop import payments


@app.task(name="shop.pay")
def pay(*, customer, amount, **_):
    payments.charge(customer, amount)


@app.task(name="billing.pay")
def waiting(customer, amount):
    payments.charge(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
