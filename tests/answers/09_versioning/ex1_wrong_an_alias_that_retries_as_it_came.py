# rejected by: ex1-hands-on
from requests import RequestException

from atleastonce.shop import payments

NAMES = ("shop.pay", "billing.pay")


def work(self, customer, amount, **_):
    try:
        payments.charge(customer, amount, key=self.request.id)
    except RequestException as error:
        raise self.retry(exc=error, countdown=60)


pay, alias = (app.task(work, bind=True, name=name, max_retries=5) for name in NAMES)


def send(customer, amount):
    return app.send_task("shop.pay", kwargs={"customer": customer, "amount": amount})
