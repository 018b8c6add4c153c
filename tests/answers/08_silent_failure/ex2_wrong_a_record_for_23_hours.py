# rejected by: ex2-once
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def collect_fee(slot: str) -> None:
    """A little less than a day."""
    if not store.set("running", slot, nx=True, ex=3600):
        return
    try:
        if store.set(f"charged:{slot}", "1", ex=23 * 3600 + 1800, nx=True):
            try:
                charge(slot)
            except Exception:
                store.delete(f"charged:{slot}")
                raise
            store.sadd("charged", slot)
    finally:
        store.delete("running")


def late(now: datetime) -> bool:
    last = max(store.smembers("charged"), default="")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
