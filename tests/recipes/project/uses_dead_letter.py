"""Tasks that fail, that kill, and that do neither."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import redis
from app import app
from checks import connect
from dead_letter import DeadLetterTask, replay

if TYPE_CHECKING:
    import psycopg

SHIP = "INSERT INTO shipped (order_id) VALUES (%s) ON CONFLICT DO NOTHING"


class Kept(DeadLetterTask):
    """As the recipe shows it."""

    def connect(self) -> psycopg.Connection[Any]:
        """The project's database."""
        return connect()


@app.task(base=Kept)
def ship(order_id: int) -> None:
    """It may run twice."""
    with connect() as db:
        db.execute(SHIP, [order_id])


@app.task(base=Kept)
def fail(order_id: int) -> None:
    """An error that no retry mends."""
    raise ValueError(order_id)


@app.task(base=Kept)
def parse(order_id: int) -> None:
    """It kills its process, as often as a number in Redis says: the test has to end."""
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as store:
        if store.decr("kills") >= 0:
            os.kill(os.getpid(), signal.SIGKILL)
    ship.run(order_id)


def kills() -> None:
    """It will kill ten times."""
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as store:
        store.set("kills", 10)


def send_killing() -> None:
    """One message, whose task kills."""
    parse.delay(1)


def send_failing() -> None:
    """One message, whose task fails."""
    fail.delay(1)


def again() -> int:
    """The replay."""
    return replay(app, connect)
