from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections

from atleastonce.shop.models import Claim


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    Claim.objects.bulk_create([Claim(key=name)], ignore_conflicts=True)
    other = connections.create_connection("default")
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            look = "SELECT 1 FROM shop_claim WHERE key = %s FOR UPDATE SKIP LOCKED"
            cursor.execute(look, [name])
            mine = cursor.fetchone() is not None
        yield mine
    finally:
        other.close()
