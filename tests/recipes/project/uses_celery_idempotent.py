"""An order is charged at the provider, and booked here."""

from __future__ import annotations

import provider
from app import app
from celery_idempotent import OPTIONS, first
from checks import connect

BOOK = "INSERT INTO booked (order_id) VALUES (%s)"


def once(order_id: int) -> None:
    """As the recipe shows it."""
    key = f"charge-{order_id}"
    with connect() as db:
        if first(db, key):
            provider.charge(order_id, key)
            db.execute(BOOK, [order_id])


charge = app.task(once, name=f"{__name__}.charge", **OPTIONS)
# With no option but those of the configuration.
plain = app.task(once, name=f"{__name__}.plain")
