from uuid import uuid4

from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    Order.objects.filter(pk=order_id, charge_id="").update(charge_id=uuid4().hex)
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=order.charge_id)
    Order.objects.filter(pk=order_id).update(status="paid")
