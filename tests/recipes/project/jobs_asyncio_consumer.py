"""An order is booked by a consumer of a stream."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import psycopg
from asyncio_consumer import Consumer, Fields

if TYPE_CHECKING:
    from redis.asyncio import Redis

STREAM, GROUP = "orders", "billing"
BOOK = "INSERT INTO booked (order_id) VALUES (%s)"


async def connect() -> psycopg.AsyncConnection[Any]:
    """A connection; its block is a transaction."""
    return await psycopg.AsyncConnection.connect(os.environ["DATABASE_URL"])


async def book(db: psycopg.AsyncConnection[Any], fields: Fields) -> None:
    """Book; unless the order is a file that kills, or that can't be read."""
    order = int(fields["order"])
    if fields.get("kills"):
        os.kill(os.getpid(), signal.SIGKILL)
    await db.execute(BOOK, [order])


def consumer(redis: Redis, name: str, most: int) -> Consumer:
    """As the recipe shows it; a lease is over at once, in production after a minute."""
    return Consumer(redis, connect, book, STREAM, GROUP, name, lease=0.0, most=most)
