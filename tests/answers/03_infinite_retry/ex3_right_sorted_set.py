import time

import redis
from collector import collect
from django.conf import settings

store = redis.Redis.from_url(settings.REDIS_URL)


@app.task(acks_late=True, reject_on_worker_lost=True)
def later(order_id: int, wait: float) -> None:
    store.zadd("waiting", {order_id: time.time() + wait})


@app.task(acks_late=True, reject_on_worker_lost=True)
def tick() -> None:
    for member in store.zrangebyscore("waiting", 0, time.time()):
        collect.delay(int(member))
        store.zrem("waiting", member)
