from django.db import transaction

from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if order.status == "paid":
            return
        charge = payments.charge(
            order.customer,
            order.amount,
            reference=f"order {order.pk}",
            key=f"shop/order/{order.pk}",
        )
        order.status, order.charge_id = "paid", charge["id"]
        order.save()
