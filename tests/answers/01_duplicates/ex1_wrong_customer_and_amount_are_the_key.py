# rejected by: ex1-two-orders
from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    key = f"{order.customer}-{order.amount}"
    payments.charge(order.customer, order.amount, key=key)
    order.status = "paid"
    order.save()
