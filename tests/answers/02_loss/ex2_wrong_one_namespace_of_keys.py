# rejected by: ex2-other-requests
import json

from django.db import transaction
from shipping import ship

from atleastonce.shop.models import IdempotencyKey, Order


def place_order(client: str, key: str, body: str) -> tuple[int, int | None]:
    asked = json.loads(body)
    with transaction.atomic():
        found, new = IdempotencyKey.objects.get_or_create(
            client="any", key=key, defaults={"body": asked}
        )
        if found.body != asked:
            return 422, None
        if new:
            found.order = Order.objects.create(customer=client, amount=asked["amount"])
            found.save()
        ship.delay_on_commit(found.order_id)
    return 202, found.order_id
