# rejected by: ex1-waiting
from requests import RequestException

from atleastonce.shop import payments


def work(self, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=f"{customer}-{amount}")
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


pay = app.task(work, bind=True, name="shop.pay", max_retries=3)
waiting = app.task(work, bind=True, name="billing.pay", max_retries=3)


def send(customer, amount):
    return pay.delay(customer=customer, amount=amount)
