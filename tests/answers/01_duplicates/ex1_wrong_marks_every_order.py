# rejected by: ex1-crash-anywhere
from atleastonce.shop import payments
from atleastonce.shop.models import Order



@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=f"order-{order.pk}")
    Order.objects.filter(customer=order.customer, status="new").update(status="paid")
