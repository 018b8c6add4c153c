# rejected by: ex2-two-at-once
import json

from django.db import transaction
from shipping import ship

from atleastonce.shop.models import IdempotencyKey, Order


def place_order(client: str, key: str, body: str) -> tuple[int, int | None]:
    asked = json.loads(body)
    found = IdempotencyKey.objects.filter(client=client, key=key).first()
    if found and found.body != asked:
        return 422, None
    if not found:
        with transaction.atomic():
            order = Order.objects.create(customer=client, amount=asked["amount"])
            found = IdempotencyKey.objects.create(
                client=client, key=key, body=asked, order=order
            )
    ship.delay(found.order_id)
    return 202, found.order_id
