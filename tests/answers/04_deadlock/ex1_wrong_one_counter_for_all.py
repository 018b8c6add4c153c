# rejected by: ex1-two-batches
import redis
from django.conf import settings
from till import charge, report

from atleastonce.shop.payments import PaymentRefused

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def settle(order_ids: list[int]) -> None:
    store.delete("ends")
    for order_id in order_ids:
        charge_one.delay(len(order_ids), order_id)


@app.task
def charge_one(size: int, order_id: int) -> None:
    try:
        charge(order_id)
        ended = "paid"
    except PaymentRefused:
        ended = "refused"
    if store.rpush("ends", ended) == size:
        ends = store.lrange("ends", 0, -1)
        report(ends.count("paid"), ends.count("refused"))
