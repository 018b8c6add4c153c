# rejected by: ex2-repeats
import json

from django.db import transaction
from shipping import ship

from atleastonce.shop.models import IdempotencyKey, Order


def place_order(client: str, key: str, body: str) -> tuple[int, int | None]:
    with transaction.atomic():
        found, new = IdempotencyKey.objects.get_or_create(
            client=client, key=key, defaults={"body": body}
        )
        if found.body != body:
            return 422, None
        if new:
            amount = json.loads(body)["amount"]
            found.order = Order.objects.create(customer=client, amount=amount)
            found.save()
        ship.delay_on_commit(found.order_id)
    return 202, found.order_id
