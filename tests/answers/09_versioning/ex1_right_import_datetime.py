import datetime

from requests import RequestException

from atleastonce.shop import payments

MINUTE = datetime.timedelta(seconds=60)


@app.task(bind=True, name="shop.pay", max_retries=3)
def pay(self, *, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        eta = datetime.datetime.now(datetime.UTC) + MINUTE
        raise self.retry(exc=error, eta=eta)


@app.task(name="billing.pay")
def waiting(customer, amount):
    send(customer, amount)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
