"""Whoever has the lock writes the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app import app
from checks import connect
from fenced_lock import Busy, acquire, fence, held, release

if TYPE_CHECKING:
    from celery import Task

KEY = "july"
#: Seconds; minutes in production.
TTL, LONG = 0.2, 600.0
WRITE = """
INSERT INTO report (key, body) VALUES (%s, %s)
ON CONFLICT (key) DO UPDATE SET body = excluded.body
"""


def write(body: str, ttl: float) -> None:
    """As the recipe shows it."""
    with held(connect, KEY, ttl) as token:
        found = f"{body}, computed"
        with connect() as db:
            fence(db, KEY, token)
            db.execute(WRITE, [KEY, found])


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True, max_retries=None)
def report(self: Task[Any, Any], body: str) -> None:
    """Try again until the lock is free."""
    try:
        write(body, TTL)
    except Busy:
        raise self.retry(countdown=0.05) from None


def take() -> None:
    """Hold the lock once if it is free, and note the token."""
    with connect() as db:
        token = acquire(db, KEY, LONG)
    if token is None:
        return
    with connect() as db:
        fence(db, KEY, token)
        db.execute("INSERT INTO holders (token) VALUES (%s)", [token])
    with connect() as db:
        release(db, KEY, token)
