# rejected by: ex1-two-at-once
from django.db import transaction

from atleastonce.shop import payments
from atleastonce.shop.models import Order



@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    with transaction.atomic():
        order = Order.objects.select_for_update(skip_locked=True).filter(pk=order_id, status="new").first()
        if order is None:
            return  # paid, or another worker is at it
        payments.charge(order.customer, order.amount, key=f"order-{order.pk}")
        order.status = "paid"
        order.save()
