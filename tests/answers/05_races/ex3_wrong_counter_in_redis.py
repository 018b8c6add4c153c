# rejected by: ex3-paused-holder
from datetime import timedelta
from uuid import uuid4

import redis
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from atleastonce.shop.models import Claim, Member, Report, Tally

store = redis.Redis.from_url(settings.REDIS_URL)


def acquire(key, ttl):
    take = """
        if redis.call('exists', KEYS[1]) == 1 then return 0 end
        local token = redis.call('incr', KEYS[2])
        redis.call('set', KEYS[1], token, 'PX', ARGV[1])
        return token"""
    keys = f"lock-{key}", f"token-{key}"
    return store.eval(take, 2, *keys, int(1000 * ttl)) or None


def release(key, token):
    drop = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end"
    store.eval(drop, 1, f"lock-{key}", token)


def publish(key, token, body):
    Report.objects.bulk_create([Report(key=key)], ignore_conflicts=True)
    mine = Report.objects.filter(key=key, token__lte=token)
    return mine.update(body=body, token=token) == 1


def change_email(name, version, email):
    older = Member.objects.filter(name=name, version__lt=version)
    older.update(email=email, version=version)
