from requests import RequestException

from atleastonce.shop import payments

again = {
    "autoretry_for": (RequestException,),
    "default_retry_delay": 60,
    "max_retries": 3,
    "ignore_result": True,
}


@app.task(name="billing.pay", **again)
def today(customer, amount):
    send(customer, amount)


@app.task(name="shop.pay", typing=False, **again)
def pay(**fields):
    payments.charge(fields["customer"], fields["amount"])


def send(customer, amount):
    return pay.s(customer=customer, amount=amount).apply_async()
