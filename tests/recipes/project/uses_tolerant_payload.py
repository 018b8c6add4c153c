"""A release that knows two versions of a payload, and the next, which knows three."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app import app
from checks import connect
from tolerant_payload import NotUnderstood, Payload, Schema, unpark

if TYPE_CHECKING:
    from celery import Task

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


def released() -> int:
    """The next release."""

    def send(task: str, payload: Payload, key: str) -> None:
        app.send_task(task, [payload], task_id=key)

    return unpark(NEXT, connect, send)
