# rejected by: ex3-one-holder
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
        try:
            yield True
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
