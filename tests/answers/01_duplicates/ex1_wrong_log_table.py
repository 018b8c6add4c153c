# rejected by: ex1-crash-anywhere
from atleastonce.shop import payments
from atleastonce.shop.models import ChargeLog, Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    if not ChargeLog.objects.filter(order=order).exists():
        payments.charge(order.customer, order.amount)
        ChargeLog.objects.create(order=order)
    order.status = "paid"
    order.save()
