# rejected by: ex1-two-at-once
import requests
from django.conf import settings

from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    order = Order.objects.get(pk=order_id)
    reference = f"order-{order.pk}"
    ledger = requests.get(
        f"{settings.GATEWAY_URL}/charges",
        headers={"X-Lab-Secret": settings.SECRET_KEY},
        timeout=5,
    )
    if reference not in [charge["reference"] for charge in ledger.json()["charges"]]:
        payments.charge(order.customer, order.amount, reference=reference)
    order.status = "paid"
    order.save()
