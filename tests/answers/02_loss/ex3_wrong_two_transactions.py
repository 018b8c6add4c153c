# rejected by: ex3-crash-anywhere
from django.db import transaction
from shipping import ship

from atleastonce.shop.models import Order, Outbox


def accept(customer: str, amount: str) -> int:
    order = Order.objects.create(customer=customer, amount=amount)
    Outbox.objects.create(topic="ship", payload=[order.pk])
    return order.pk


def catch_up() -> None:
    with transaction.atomic():
        for row in Outbox.objects.select_for_update(skip_locked=True):
            ship.delay(*row.payload)
            row.delete()
