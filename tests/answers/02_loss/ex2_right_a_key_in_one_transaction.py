import json

from django.db import IntegrityError, transaction
from shipping import ship

from atleastonce.shop.models import IdempotencyKey, Order


def new_order(client, key, asked):
    with transaction.atomic():
        found = IdempotencyKey.objects.create(client=client, key=key, body=asked)
        found.order = Order.objects.create(customer=client, amount=asked["amount"])
        found.save()


def place_order(client: str, key: str, body: str) -> tuple[int, int | None]:
    asked = json.loads(body)
    try:
        new_order(client, key, asked)
    except IntegrityError:
        pass
    found = IdempotencyKey.objects.get(client=client, key=key)
    if found.body != asked:
        return 422, None
    ship.delay(found.order_id)
    return 202, found.order_id
