# rejected by: ex2-apart
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task
def collect_fee(slot: str) -> None:
    """The slot is claimed; nobody else can charge it. Another slot can."""
    if store.set(f"slot:{slot}", "1", nx=True, ex=86_400):
        charge(slot)
        store.sadd("charged", slot)


def late(now: datetime) -> bool:
    last = max(store.smembers("charged"), default="")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
