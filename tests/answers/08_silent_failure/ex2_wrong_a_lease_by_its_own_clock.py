# rejected by: ex2-apart
import time
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from fees import charge

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)

SCRIPT = """
local held = redis.call('GET', KEYS[1])
if held and tonumber(held) > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


@app.task
def collect_fee(slot: str) -> None:
    """A lease of an hour, whose end is told by the holder's clock."""
    now = time.time()
    if not store.eval(SCRIPT, 1, "running", now, now + 3600):
        return
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
