# rejected by: ex1-permanent
import random

from requests import RequestException

from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(bind=True, max_retries=5)
def charge_order(self, order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    try:
        payments.charge(order.customer, order.amount, key=f"order-{order_id}")
    except RequestException as error:
        if error.response is not None and error.response.status_code < 500:
            raise
        limit = min(600, 60 * 2**self.request.retries)
        raise self.retry(exc=error, countdown=random.uniform(0, limit))
    Order.objects.filter(pk=order_id).update(status="paid")
