"""What the recipes' tasks start from, and what they are judged by."""

from __future__ import annotations

import os
from typing import Any

import asyncio_consumer
import celery_idempotent
import dead_letter
import fenced_lock
import outbox
import psycopg
import redis
import tolerant_payload

from atleastonce.own.outside import charges

OURS = """
CREATE TABLE IF NOT EXISTS booked (id serial PRIMARY KEY, order_id int NOT NULL);
CREATE TABLE IF NOT EXISTS accepted (order_id int PRIMARY KEY);
CREATE TABLE IF NOT EXISTS shipped (order_id int PRIMARY KEY);
CREATE TABLE IF NOT EXISTS report (key text PRIMARY KEY, body text NOT NULL);
CREATE TABLE IF NOT EXISTS holders (id serial PRIMARY KEY, token int NOT NULL)
"""
TABLES = (
    celery_idempotent.TABLE,
    asyncio_consumer.TABLE,
    outbox.TABLE,
    dead_letter.TABLES,
    fenced_lock.TABLE,
    tolerant_payload.TABLE,
    OURS,
)
World = dict[str, object]


def connect() -> psycopg.Connection[Any]:
    """A connection; its block is a transaction."""
    return psycopg.connect(os.environ["DATABASE_URL"])


def tables() -> None:
    """All of them; called once."""
    with connect() as db:
        for statement in TABLES:
            db.execute(statement)


def count(table: str, where: str = "true") -> int:
    """How many rows."""
    with connect() as db:
        row = db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()
    assert row
    return int(row[0])


def charged() -> World:
    """What one order did to the provider, and to our books."""
    return {"charges": len(charges()), "booked": count("booked")}


def once(world: World) -> bool:
    """One order, one charge, one line in the books."""
    return world == {"charges": 1, "booked": 1}


def messages() -> World:
    """Messages in the broker, and rows in the outbox."""
    broker = redis.Redis.from_url(os.environ["CELERY_BROKER_URL"])
    with broker:
        return {"messages": broker.llen("celery"), "outbox": count("outbox")}


def settled() -> World:
    """What was done, and the dead letters: all, and those that nobody replayed."""
    letters = {"letters": count("dead_letter")}
    waiting = count("dead_letter", "replayed_at IS NULL")
    return {"done": count("shipped"), "waiting": waiting} | letters


def accounted() -> World:
    """Is the order shipped, or among the dead letters?"""
    return {"accounted": count("shipped") + count("dead_letter") > 0}


def parked() -> World:
    """What was done, and what waits for a release that understands it."""
    waiting = count("parked", "unparked_at IS NULL")
    return {"done": count("shipped"), "waiting": waiting}


def report() -> World:
    """What the report says."""
    with connect() as db:
        return {"report": db.execute("SELECT body FROM report").fetchall()}


def holders() -> World:
    """The tokens of those who held the lock, in the order in which they wrote."""
    with connect() as db:
        rows = db.execute("SELECT token FROM holders ORDER BY id").fetchall()
    return {"tokens": [token for (token,) in rows]}


def tokens_grow(world: dict[str, list[int]]) -> bool:
    """Somebody had the lock, and each newer one the larger token."""
    tokens = world["tokens"]
    return bool(tokens) and tokens == sorted(set(tokens))
