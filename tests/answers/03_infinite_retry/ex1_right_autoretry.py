from requests import RequestException

from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(
    autoretry_for=(RequestException,),
    max_retries=5,
    retry_backoff=60,
    retry_backoff_max=600,
)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=f"order-{order_id}")
    order.status = "paid"
    order.save()
