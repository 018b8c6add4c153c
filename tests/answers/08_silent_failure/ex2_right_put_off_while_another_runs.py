from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    """Put off for a second while another run is at it."""
    if store.sismember("charged", slot):
        return
    if not store.set("running", self.request.id, nx=True, ex=3600):
        raise self.retry(countdown=1)
    try:
        if store.sadd("charged", slot):
            try:
                charge(slot)
            except Exception:
                store.srem("charged", slot)
                raise
    finally:
        store.delete("running")


def late(now: datetime) -> bool:
    last = max(store.smembers("charged"), default="")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
