import redis
from django.conf import settings
from till import charge, report

from atleastonce.shop.payments import PaymentRefused

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task(bind=True)
def settle(self, order_ids: list[int]) -> None:
    for order_id in order_ids:
        charge_one.delay(self.request.id, len(order_ids), order_id)


@app.task
def charge_one(batch: str, size: int, order_id: int) -> None:
    try:
        charge(order_id)
        ended = "paid"
    except PaymentRefused:
        ended = "refused"
    # RPUSH adds and counts in one step: one of them alone gets the whole size.
    if store.rpush(f"batch:{batch}", ended) == size:
        ends = store.lrange(f"batch:{batch}", 0, -1)
        report(ends.count("paid"), ends.count("refused"))
