from datetime import timedelta

from django.db import connection, transaction

from atleastonce.shop.models import Claim


def now():
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


def claim(key: str, owner: str, lease: float) -> bool:
    Claim.objects.get_or_create(key=key)
    with transaction.atomic():
        row = Claim.objects.select_for_update().get(key=key)
        if row.done or (row.until and row.until > now()):
            return False
        row.owner, row.until = owner, now() + timedelta(seconds=lease)
        row.save()
        return True


def finish(key: str, owner: str) -> bool:
    with transaction.atomic():
        row = Claim.objects.select_for_update().filter(key=key).first()
        if row is None or row.done or row.owner != owner:
            return False
        row.done = True
        row.save()
        return True


def stuck() -> list[str]:
    return [
        row.key
        for row in Claim.objects.filter(done=False)
        if row.until and row.until <= now()
    ]
