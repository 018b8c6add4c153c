"""A release that knows two versions of a payload, and the next, which knows three."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app import app
from checks import connect, count
from tolerant_payload import NotUnderstood, Payload, Schema, unpark

if TYPE_CHECKING:
    from celery import Task

NEWER: Payload = {"version": 3, "money": {"cents": 1999, "currency": "EUR"}, "n": "\0"}
FOREIGN: Payload = {"version": 3, "money": {"cents": 1999, "currency": "XTS"}}
SHIP = "INSERT INTO shipped (order_id) VALUES (%s) ON CONFLICT DO NOTHING"


def one_to_two(payload: Payload) -> Payload:
    """An amount in euros became cents."""
    return payload | {"cents": int(Decimal(payload["amount"]) * 100)}


def two_to_three(payload: Payload) -> Payload:
    """They got a currency."""
    return payload | {"money": {"cents": payload["cents"], "currency": "EUR"}}


def known_currency(payload: Payload) -> None:
    """Refuse what this release can't charge."""
    currency = payload["money"]["currency"]
    if currency not in ("EUR", "USD"):
        raise NotUnderstood(f"currency {currency}")


NOW = Schema(steps=[one_to_two])
NEXT = Schema(check=known_currency, steps=[one_to_two, two_to_three])


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle(self: Task[Any, Any], payload: Payload) -> None:
    """As the recipe shows it, in the release of today."""
    with connect() as db:
        now = NOW.taken(db, self.request.id, self.name, payload)
        if now is not None:
            db.execute(SHIP, [now["cents"]])


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def settle_next(self: Task[Any, Any], payload: Payload) -> None:
    """The same, in the next release."""
    with connect() as db:
        now = NEXT.taken(db, self.request.id, self.name, payload)
        if now is not None:
            db.execute(SHIP, [now["money"]["cents"]])


def park() -> None:
    """One message waits for the next release, and one for another one still."""
    with connect() as db:
        for key, payload in (("m-1", NEWER), ("m-2", FOREIGN)):
            NOW.taken(db, key, settle.name, payload)


def released() -> int:
    """The next release, whose workers take what is unparked."""

    def send(_: str, payload: Payload, key: str) -> None:
        app.send_task(settle_next.name, [payload], task_id=key)

    return unpark(NEXT, connect, send)


def rolled_back() -> int:
    """The next release, whose workers have gone again: today's take it."""

    def send(task: str, payload: Payload, key: str) -> None:
        app.send_task(task, [payload], task_id=key)

    return unpark(NEXT, connect, send)


def left() -> bool:
    """True while the message that the next release knows waits."""
    return count("parked", "unparked_at IS NULL AND key = 'm-1'") > 0
