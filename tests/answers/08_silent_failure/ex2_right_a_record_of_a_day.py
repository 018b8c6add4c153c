from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)

DAY = 86_400


@app.task
def collect_fee(slot: str) -> None:
    """A mark for each slot, which stays for a day; the newest slot apart."""
    with store.lock("fee", timeout=3600, sleep=0.02):
        if not store.exists(f"charged:{slot}"):
            charge(slot)
            store.set(f"charged:{slot}", 1, ex=DAY)
            store.set("newest", max(slot, store.get("newest") or ""))


def late(now: datetime) -> bool:
    last = store.get("newest")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
