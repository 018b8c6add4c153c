# rejected by: ex3-two-at-once
from django.db import transaction
from shipping import ship

from atleastonce.shop.models import Order, Outbox


def accept(customer: str, amount: str) -> int:
    with transaction.atomic():
        order = Order.objects.create(customer=customer, amount=amount)
        Outbox.objects.create(topic="ship", payload=[order.pk])
    return order.pk


def catch_up() -> None:
    for row in Outbox.objects.all():
        ship.delay(*row.payload)
        row.delete()
