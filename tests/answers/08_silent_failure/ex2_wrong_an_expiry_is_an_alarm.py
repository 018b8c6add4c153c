# rejected by: ex2-late
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def collect_fee(slot: str) -> None:
    if not store.set("running", slot, nx=True, ex=3600):
        return
    try:
        if not store.sismember("charged", slot):
            charge(slot)
            store.sadd("charged", slot)
            store.set("alive", "1", ex=180)
    finally:
        store.delete("running")


def late(now: datetime) -> bool:
    """A dead man's switch; but it asks Redis' clock, and not now."""
    return not store.exists("alive")
