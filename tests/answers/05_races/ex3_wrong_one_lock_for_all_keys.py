# rejected by: ex3-late-release
from datetime import timedelta
from uuid import uuid4

import redis
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from atleastonce.shop.models import Claim, Member, Report, Tally

store = redis.Redis.from_url(settings.REDIS_URL)


def acquire(key: str, ttl: float) -> int | None:
    """Take the lock for *ttl* seconds; the token, or None."""
    Claim.objects.bulk_create([Claim(key=key, owner="0")], ignore_conflicts=True)
    take = """
        UPDATE shop_claim SET owner = owner::bigint + 1,
            until = clock_timestamp() + make_interval(secs => %s)
        WHERE key = %s AND NOT EXISTS (
            SELECT FROM shop_claim WHERE until > clock_timestamp())
        RETURNING owner"""
    with connection.cursor() as cursor:
        cursor.execute(take, [ttl, key])
        row = cursor.fetchone()
    return int(row[0]) if row else None


def release(key: str, token: int) -> None:
    """Free the lock, if *token* still has it."""
    Claim.objects.filter(key=key, owner=str(token)).update(until=None)


def publish(key: str, token: int, body: str) -> bool:
    """Write the report, unless a newer holder has written it."""
    Report.objects.bulk_create([Report(key=key)], ignore_conflicts=True)
    mine = Report.objects.filter(key=key, token__lte=token)
    return mine.update(body=body, token=token) == 1


def change_email(name: str, version: int, email: str) -> None:
    """Write the address, unless the row has this version or a newer one."""
    older = Member.objects.filter(name=name, version__lt=version)
    older.update(email=email, version=version)
