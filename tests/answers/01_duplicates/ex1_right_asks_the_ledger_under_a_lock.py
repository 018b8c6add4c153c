import requests
from django.conf import settings
from django.db import transaction

from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    reference = f"order-{order_id}"
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        ledger = requests.get(
            f"{settings.GATEWAY_URL}/charges",
            headers={"X-Lab-Secret": settings.SECRET_KEY},
            timeout=5,
        )
        if reference not in [charge["reference"] for charge in ledger.json()["charges"]]:
            payments.charge(order.customer, order.amount, reference=reference)
        order.status = "paid"
        order.save()
