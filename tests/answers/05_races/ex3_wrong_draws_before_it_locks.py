# rejected by: ex3-one-holder
from datetime import timedelta
from uuid import uuid4

import redis
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from atleastonce.shop.models import Claim, Member, Report, Tally

store = redis.Redis.from_url(settings.REDIS_URL)


def drawn(key):
    with connection.cursor() as cursor:
        more = """
            INSERT INTO shop_tally (key, count) VALUES (%s, 1)
            ON CONFLICT (key) DO UPDATE SET count = shop_tally.count + 1
            RETURNING count"""
        cursor.execute(more, [key])
        return cursor.fetchone()[0]


def acquire(key, ttl):
    token = drawn(key)
    if store.set(f"lock-{key}", token, nx=True, px=int(1000 * ttl)):
        return token
    return None


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
