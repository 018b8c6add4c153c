# rejected by: ex1-sent-again
from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def charge_order(self, order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    if order.status == "paid":
        return
    payments.charge(order.customer, order.amount, key=self.request.id)
    order.status = "paid"
    order.save()
