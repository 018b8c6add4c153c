from uuid import NAMESPACE_URL, uuid5

from atleastonce.shop.models import Order
from atleastonce.shop.payments import charge


def pay(order): charge(order.customer, order.amount, key=str(uuid5(NAMESPACE_URL, f"shop:order:{order.pk}"))); Order.objects.filter(pk=order.pk).update(status="paid")


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None: pay(Order.objects.get(pk=order_id))
