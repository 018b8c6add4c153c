"""An order is booked by an RQ job."""

from __future__ import annotations

import os
from typing import Any

import psycopg
from rq_idempotent import first

BOOK = "INSERT INTO booked (order_id) VALUES (%s)"


def connect() -> psycopg.Connection[Any]:
    """A connection; its block is a transaction."""
    return psycopg.connect(os.environ["DATABASE_URL"])


def book(order_id: int) -> None:
    """As the recipe shows it."""
    key = f"book-{order_id}"
    with connect() as db:
        if first(db, key):
            db.execute(BOOK, [order_id])
