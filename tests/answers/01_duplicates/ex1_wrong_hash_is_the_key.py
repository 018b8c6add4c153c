# rejected by: ex1-sent-again
from atleastonce.shop import payments
from atleastonce.shop.models import Order



@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    key = str(hash(("charge", order.pk, order.customer)))
    payments.charge(order.customer, order.amount, key=key)
    Order.objects.filter(pk=order_id).update(status="paid")
