# rejected by: ex2-apart
# "have one run at a time in charge, of whichever slots", and a charge takes "up to ten
# minutes": the slot that is due six minutes later steals the lock and charges beside the
# first.
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)

TAKE = """
local held = redis.call('GET', KEYS[1])
if held and tonumber(held) + 5 >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1
"""


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    """A lock that was taken for a slot more than five minutes ago is a stale one."""
    minute = int(datetime.fromisoformat(slot).replace(tzinfo=UTC).timestamp()) // 60
    if not store.eval(TAKE, 1, "running", minute):
        raise self.retry(countdown=0.3)
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
