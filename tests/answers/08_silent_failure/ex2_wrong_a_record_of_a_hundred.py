# rejected by: ex2-once
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def collect_fee(slot: str) -> None:
    """The record is as long as a hundred slots."""
    if not store.set("running", slot, nx=True, ex=3600):
        return
    try:
        if slot not in store.lrange("charged", 0, -1):
            charge(slot)
            store.lpush("charged", slot)
            store.ltrim("charged", 0, 99)
    finally:
        store.delete("running")


def late(now: datetime) -> bool:
    last = max(store.lrange("charged", 0, -1), default="")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
