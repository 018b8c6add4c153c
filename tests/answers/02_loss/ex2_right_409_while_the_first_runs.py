import json

from django.db import connection, transaction
from shipping import ship

from atleastonce.shop.models import IdempotencyKey, Order


def place_order(client: str, key: str, body: str) -> tuple[int, int | None]:
    asked = json.loads(body)
    with transaction.atomic():
        with connection.cursor() as cursor:
            lock = "SELECT pg_try_advisory_xact_lock(hashtext(%s))"
            cursor.execute(lock, [json.dumps([client, key])])
            if not cursor.fetchone()[0]:
                return 409, None
        found = IdempotencyKey.objects.filter(client=client, key=key).first()
        if found and found.body != asked:
            return 422, None
        if not found:
            order = Order.objects.create(customer=client, amount=asked["amount"])
            found = IdempotencyKey.objects.create(
                client=client, key=key, body=asked, order=order
            )
    if found.order.status != "paid":
        ship.delay(found.order_id)
    return 202, found.order_id
