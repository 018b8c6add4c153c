# rejected by: ex3-slow-is-left
from shipping import ship

from atleastonce.shop.models import Order


def accept(customer: str, amount: str) -> int:
    return Order.objects.create(customer=customer, amount=amount).pk


def catch_up() -> None:
    for order in Order.objects.exclude(status="paid"):
        ship.delay(order.pk)
