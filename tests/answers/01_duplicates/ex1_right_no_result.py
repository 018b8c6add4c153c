from atleastonce.shop import payments
from atleastonce.shop.models import Order



@app.task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=f"order-{order.pk}")
    Order.objects.filter(pk=order_id).update(status="paid")
