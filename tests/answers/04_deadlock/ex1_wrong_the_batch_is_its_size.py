# rejected by: ex1-two-batches
import redis
from django.conf import settings
from till import charge, report

from atleastonce.shop.models import Order
from atleastonce.shop.payments import PaymentRefused

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def settle(order_ids: list[int]) -> None:
    orders = Order.objects.filter(pk__in=order_ids).order_by("pk")
    batch = "batch:" + ",".join(f"{order.customer} {order.amount}" for order in orders)
    store.delete(batch)
    for order_id in order_ids:
        charge_one.delay(batch, len(order_ids), order_id)


@app.task
def charge_one(batch: str, size: int, order_id: int) -> None:
    try:
        charge(order_id)
        ended = "paid"
    except PaymentRefused:
        ended = "refused"
    if store.rpush(batch, ended) == size:
        ends = store.lrange(batch, 0, -1)
        report(ends.count("paid"), ends.count("refused"))
