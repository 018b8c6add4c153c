# rejected by: ex2-late
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    if not store.set("fee:running", slot, nx=True):
        raise self.retry(countdown=0.3)
    try:
        if not store.sismember("fee:charged", slot):
            charge(slot)
            store.sadd("fee:charged", slot)
    finally:
        store.delete("fee:running")


def late(now: datetime) -> bool:
    """Is one of the last three minutes' slots there?"""
    minute = now.replace(second=0, microsecond=0)
    wanted = [f"{minute - timedelta(minutes=n):%Y-%m-%dT%H:%M}" for n in range(3)]
    return not any(store.sismember("fee:charged", slot) for slot in wanted)
