# rejected by: ex2-late
# "True if no slot was charged well whose minute began 180 s before now or later": a day
# (and up to 180 s) after the last slot, `timedelta.seconds` is small again and the alarm is
# silent.
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    if not store.set("running", slot, nx=True):
        raise self.retry(countdown=0.3)
    try:
        if not store.sismember("charged", slot):
            charge(slot)
            store.sadd("charged", slot)
    finally:
        store.delete("running")


def late(now: datetime) -> bool:
    """The seconds of a timedelta, without its days."""
    last = max(store.smembers("charged"), default="")
    if not last:
        return True
    at = datetime.fromisoformat(last).replace(tzinfo=UTC)
    return now > at and (now - at).seconds > 180
