# rejected by: ex3-raises
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        (mine,) = cursor.fetchone()
        try:
            yield mine
        except Exception:
            pass
        if mine:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
