from django.db import transaction
from django.db.models.functions import Now
from shipping import ship

from atleastonce.shop.models import Order, Outbox


def accept(customer: str, amount: str) -> int:
    with transaction.atomic():
        order = Order.objects.create(customer=customer, amount=amount)
        Outbox.objects.create(topic="ship", payload={"order": order.pk})
    return order.pk


def catch_up() -> None:
    while True:
        with transaction.atomic():
            row = Outbox.objects.select_for_update().filter(sent_at=None).first()
            if row is None:
                return
            ship.delay(row.payload["order"])
            row.sent_at = Now()
            row.save()
