# rejected by: ex3-one-holder
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(4)")
        (mine,) = cursor.fetchone()
        try:
            yield mine
        finally:
            if mine:
                cursor.execute("SELECT pg_advisory_unlock(4)")
