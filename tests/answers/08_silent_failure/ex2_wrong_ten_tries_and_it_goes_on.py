# rejected by: ex2-apart
# "have one run at a time in charge" and a charge takes "up to ten minutes": after ten
# seconds of retries the second run takes the lock for one that was left behind, and charges
# beside the first (also the same slot twice).
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    """After ten tries, of a second each, the lock must be one that was left behind."""
    if not store.set("running", slot, nx=True) and self.request.retries < 10:
        raise self.retry(countdown=1)
    try:
        if not store.sismember("charged", slot):
            charge(slot)
            store.sadd("charged", slot)
    finally:
        store.delete("running")


def late(now: datetime) -> bool:
    last = max(store.smembers("charged"), default="")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
