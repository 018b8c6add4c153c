# rejected by: ex2-apart
# "have one run at a time in charge" and a charge takes "up to ten minutes": after 30 s a
# second run removes the first one from the semaphore, and charges beside it.
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)

TAKE = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 30)
if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
redis.call('ZADD', KEYS[1], now, ARGV[1])
return 1
"""


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    """A semaphore of one, by Redis' clock: whoever is older than 30 s is removed."""
    if not store.eval(TAKE, 1, "running", self.request.id):
        raise self.retry(countdown=0.3)
    try:
        if not store.sismember("charged", slot):
            charge(slot)
            store.sadd("charged", slot)
    finally:
        store.zrem("running", self.request.id)


def late(now: datetime) -> bool:
    last = max(store.smembers("charged"), default="")
    limit = now - timedelta(seconds=180)
    return not last or datetime.fromisoformat(last).replace(tzinfo=UTC) < limit
