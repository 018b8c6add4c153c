import random

import requests

from atleastonce.shop import payments
from atleastonce.shop.models import Order


def delay(retries): return random.randint(0, min(600, 60 << retries))


@app.task(bind=True, max_retries=5, ignore_result=True)
def charge_order(self, order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    try:
        payments.charge(order.customer, order.amount, key=f"o{order_id}")
    except requests.RequestException as error:
        self.retry(exc=error, countdown=delay(self.request.retries))
    order.status = "paid"
    order.save(update_fields=["status"])
