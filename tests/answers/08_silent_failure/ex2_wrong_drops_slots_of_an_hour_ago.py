# rejected by: ex2-once
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def collect_fee(slot: str) -> None:
    """The record keeps the slots of the hour before the one that is charged."""
    minute = datetime.fromisoformat(slot).replace(tzinfo=UTC).timestamp() // 60
    if not store.set("running", slot, nx=True, ex=3600):
        return
    try:
        if store.zscore("slots", slot) is None:
            charge(slot)
            store.zadd("slots", {slot: minute})
            store.zremrangebyscore("slots", "-inf", minute - 60)
    finally:
        store.delete("running")


def late(now: datetime) -> bool:
    newest = store.zrange("slots", -1, -1, withscores=True)
    return not newest or newest[0][1] * 60 < (now - timedelta(seconds=180)).timestamp()
