# rejected by: ex3-crash-anywhere
from django.db import transaction
from shipping import ship

from atleastonce.shop.models import Order


def accept(customer: str, amount: str) -> int:
    with transaction.atomic():
        order = Order.objects.create(customer=customer, amount=amount)
        ship.delay_on_commit(order.pk)
    return order.pk


def catch_up() -> None:
    pass
