# rejected by: ex3-newest-wins
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
    Claim.objects.bulk_create([Claim(key=key, owner="0")], ignore_conflicts=True)
    take = """
        UPDATE shop_claim SET owner = owner::bigint + 1,
            until = clock_timestamp() + make_interval(secs => %s)
        WHERE key = %s AND coalesce(until, '-infinity') <= clock_timestamp()
        RETURNING owner"""
    with connection.cursor() as cursor:
        cursor.execute(take, [ttl, key])
        row = cursor.fetchone()
    return int(row[0]) if row else None


def release(key, token):
    Claim.objects.filter(key=key, owner=str(token)).update(until=None)


def publish(key, token, body):
    report, _ = Report.objects.get_or_create(key=key)
    if report.token > token:
        return False
    report.body, report.token = body, token
    report.save()
    return True


def change_email(name, version, email):
    older = Member.objects.filter(name=name, version__lt=version)
    older.update(email=email, version=version)
