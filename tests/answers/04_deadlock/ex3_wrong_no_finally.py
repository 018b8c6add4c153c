# rejected by: ex3-raises
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
from django.db import connection

sessions = {}


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    """A session of its own, which Celery's fixup does not close."""
    if "kept" not in sessions:
        sessions["kept"] = psycopg.connect(**connection.get_connection_params(), autocommit=True)
    kept, key = sessions["kept"], "hashtextextended(%s, 0)"
    (mine,) = kept.execute(f"SELECT pg_try_advisory_lock({key})", [name]).fetchone()
    yield mine
    if mine:
        kept.execute(f"SELECT pg_advisory_unlock({key})", [name])
