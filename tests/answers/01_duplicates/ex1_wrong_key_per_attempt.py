# rejected by: ex1-crash-anywhere
from uuid import uuid4

from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=str(uuid4()))
    order.status = "paid"
    order.save()
