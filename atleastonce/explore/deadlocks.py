"""Make the victim of a deadlock always the same: the copy that closes the cycle.

Postgres looks for a deadlock only in a session that has waited ``deadlock_timeout``,
and once per wait. So sessions of copies have SLOW; a copy that moves while another one
waits gets QUICK for that step: it alone looks, finds the cycle that it closed, and is
the victim, however loaded the machine is. Setting it needs a superuser, as a lab's is.
"""

from __future__ import annotations

import weakref
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

SLOW, QUICK = "20s", "1ms"
_SETTABLE = (TransactionStatus.IDLE, TransactionStatus.INTRANS)


class Deadlocks:
    """All Postgres connections of this process, and how soon they look."""

    def __init__(self) -> None:
        self._open: weakref.WeakSet[psycopg.Connection[Any]] = weakref.WeakSet()
        self._value = SLOW
        self._dirty = False

    def install(self) -> None:
        """Know every connection from now on."""
        made = psycopg.Connection.__init__

        def init(connection: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - psycopg's own
            made(connection, *args, **kwargs)
            self._open.add(connection)
            _set(connection, self._value)

        psycopg.Connection.__init__ = init  # type: ignore[method-assign,assignment]

    def look(self, *, at_once: bool) -> None:
        """Look after QUICK in the step that begins now, or after SLOW."""
        if not at_once and not self._dirty:
            return
        self._value = QUICK if at_once else SLOW
        for connection in list(self._open):
            _set(connection, self._value)
        # A rollback may bring an older value back: set it anew before every step.
        self._dirty = True

    def reset(self) -> None:
        """No transaction is open: SLOW for good."""
        self.look(at_once=False)
        self._dirty = False


def _set(connection: psycopg.Connection[Any], value: str) -> None:
    # Below psycopg's cursors, which are effect boundaries.
    if connection.pgconn.transaction_status in _SETTABLE:
        connection.pgconn.exec_(f"SET deadlock_timeout = '{value}'".encode())
