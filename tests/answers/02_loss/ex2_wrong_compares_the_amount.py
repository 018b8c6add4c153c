# rejected by: ex2-other-body
import json
from decimal import Decimal

from django.db import transaction
from shipping import ship

from atleastonce.shop.models import IdempotencyKey, Order


def place_order(client: str, key: str, body: str) -> tuple[int, int | None]:
    asked = json.loads(body)
    with transaction.atomic():
        found, new = IdempotencyKey.objects.get_or_create(
            client=client, key=key, defaults={"body": asked}
        )
        if new:
            found.order = Order.objects.create(customer=client, amount=asked["amount"])
            found.save()
        if found.order.amount != Decimal(asked["amount"]) and not new:
            return 422, None
        ship.delay_on_commit(found.order_id)
    return 202, found.order_id
