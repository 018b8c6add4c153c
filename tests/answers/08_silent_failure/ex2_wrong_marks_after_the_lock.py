# rejected by: ex2-apart
# "charge the fee of a slot once, however many messages come for it, at the same time": the
# lock is free before the record is there, so a second message that gets the lock in between
# charges again.
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def collect_fee(slot: str) -> None:
    """The record is written after the lock is given back: who waited finds none."""
    with store.lock("fee", timeout=3600, sleep=0.1):
        if store.sismember("charged", slot):
            return
        charge(slot)
    store.sadd("charged", slot)


def late(now: datetime) -> bool:
    last = max(store.smembers("charged"), default="")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
