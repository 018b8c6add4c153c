"""The database connections of this process's Django, where one is set up."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any


def connections() -> list[Any]:
    """One for each of Django's databases, in this thread; none without Django.

    A fork server has imported Django for all, also for a project that has none.
    """
    conf, db = sys.modules.get("django.conf"), sys.modules.get("django.db")
    if conf is None or db is None or not conf.settings.configured:
        return []
    # Without DATABASES Django has a "default" that raises when it is asked.
    return [c for c in db.connections.all() if c.vendor != "unknown"]


def connect() -> None:
    """Open them, where a database is up: one that is down is its user's own problem."""
    for connection in connections():
        with suppress(sys.modules["django.db"].Error):
            connection.ensure_connection()
