from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

from django.db import connections


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    own = connections.create_connection("default")
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(7, %s)", [crc32(name.encode()) - 2**31])
            mine = cursor.fetchone()[0]
        yield mine
    finally:
        own.close()  # the session's end frees it
