"""An order is accepted here, and shipped by a task."""

from __future__ import annotations

from app import app
from checks import connect
from outbox import Payload, put, relay


@app.task(acks_late=True, reject_on_worker_lost=True)
def ship(order_id: int) -> None:
    """It may run twice."""
    with connect() as db:
        done = "INSERT INTO shipped (order_id) VALUES (%s) ON CONFLICT DO NOTHING"
        db.execute(done, [order_id])


def accept(order_id: int) -> None:
    """The view; a client repeats a request that got no answer."""
    with connect() as db:
        new = "INSERT INTO accepted (order_id) VALUES (%s) ON CONFLICT DO NOTHING"
        if db.execute(new, [order_id]).rowcount:
            put(db, ship.name, {"order_id": order_id})


def publish(topic: str, payload: Payload, key: str) -> None:
    """As the recipe shows it."""
    app.send_task(topic, kwargs=payload, task_id=key)


def send() -> int:
    """The relay, once."""
    return relay(connect, publish)


def one() -> None:
    """An order that was accepted."""
    accept(1)


def two() -> None:
    """Two of them."""
    accept(1)
    accept(2)
