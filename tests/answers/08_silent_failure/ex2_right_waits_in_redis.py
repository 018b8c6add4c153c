from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task(autoretry_for=(Exception,), max_retries=5, default_retry_delay=0.2)
def collect_fee(slot: str) -> None:
    """Waits for its turn, and tries its own slot again after an error."""
    with store.lock("fee", timeout=3600, sleep=0.02):
        if store.zscore("slots", slot) is None:
            charge(slot)
            at = datetime.fromisoformat(slot).replace(tzinfo=UTC).timestamp()
            store.zadd("slots", {slot: at})


def late(now: datetime) -> bool:
    newest = store.zrange("slots", -1, -1, withscores=True)
    return not newest or newest[0][1] < (now - timedelta(seconds=180)).timestamp()
