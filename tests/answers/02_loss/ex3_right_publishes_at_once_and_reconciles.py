from django.db import transaction
from shipping import ship

from atleastonce.shop.models import Order, Outbox


def accept(customer: str, amount: str) -> int:
    with transaction.atomic():
        order = Order.objects.create(customer=customer, amount=amount)
    publish(order.pk)
    return order.pk


def publish(order_id):
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if not Outbox.objects.filter(topic=f"sent {order.pk}").exists():
            ship.delay(order.pk)
            Outbox.objects.create(topic=f"sent {order.pk}")


def catch_up() -> None:
    for order in Order.objects.exclude(status="paid").order_by("pk"):
        publish(order.pk)
