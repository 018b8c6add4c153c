import datetime

import redis
from django.conf import settings
from fees import charge

lab = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


def check(slot):
    return not lab.sismember("charged", slot)


def evidence(slot):
    lab.sadd("charged", slot)


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    if not lab.set("running", slot, nx=True):
        raise self.retry(countdown=0.3)
    try:
        if check(slot):
            charge(slot)
            evidence(slot)
    finally:
        lab.delete("running")


def late(now) -> bool:
    last = max(lab.smembers("charged"), default="")
    if not last:
        return True
    at = datetime.datetime.fromisoformat(last).replace(tzinfo=datetime.UTC)
    return at < now - datetime.timedelta(seconds=180)
