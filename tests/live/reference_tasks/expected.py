"""What must become of each reference task at each point, and why.

A list of bands: an outcome, and the point at which it ends (a boundary's name and its
moment, or an end of the task). Lines in between belong to the band that they stand in,
so one list holds for every way to lay the same effects out.
"""

from __future__ import annotations

from typing import NamedTuple

OK, DUPLICATE, LOST = "ok", "duplicate", "lost"


class Band(NamedTuple):
    """Every point before *until* has *outcome*; "" is the end of the table."""

    outcome: str
    until: str


#: Redelivered, and nothing tells the second attempt what the first has done: before the
#: charge nothing is there to be doubled, from then on the whole work is done again.
AGAIN = [Band(OK, "charge done"), Band(DUPLICATE, "")]
#: As above, but the last point: the result SUCCESS is stored, and Celery 5.7 asks for
#: it when a pool child is lost: the message is acked.
AGAIN_UNTIL_STORED = [
    Band(OK, "charge done"),
    Band(DUPLICATE, "stored"),
    Band(OK, ""),
]
#: Acked, or failed for good: what was done stays, what was not is never done. The last
#: of it is that the order is paid.
NEVER_AGAIN = [Band(LOST, "update done"), Band(OK, "")]
#: At every point the second attempt finds what the first has done, or nothing of it.
SAFE = [Band(OK, "")]

#: By task: when the child is killed, and when the whole worker is.
EXPECTED: dict[str, tuple[list[Band], list[Band]]] = {
    "naive": (AGAIN_UNTIL_STORED, AGAIN),
    # Between the charge and the row that says so the second attempt sees no row.
    # Postgres has the row once the INSERT is done (autocommit).
    "log_table": (
        [Band(OK, "charge done"), Band(DUPLICATE, "insert done"), Band(OK, "")],
        [Band(OK, "charge done"), Band(DUPLICATE, "insert done"), Band(OK, "")],
    ),
    # Once the key is set the second attempt finds it and does nothing: what the first
    # had not done is lost, up to its last effect.
    "set_nx": (
        [Band(OK, "set done"), Band(LOST, "update done"), Band(OK, "")],
        [Band(OK, "set done"), Band(LOST, "update done"), Band(OK, "")],
    ),
    # Marker and effect are committed together: both are there, or none is.
    "one_transaction": (SAFE, SAFE),
    # Once the marker is committed alone, the second attempt finds it and returns.
    # bulk_create commits for itself; the credit, the second INSERT, does so at once.
    "two_transactions": (
        [Band(OK, "commit done"), Band(LOST, "second insert done"), Band(OK, "")],
        [Band(OK, "commit done"), Band(LOST, "second insert done"), Band(OK, "")],
    ),
    # The provider knows the key, and charges once however often it is asked.
    "key": (SAFE, SAFE),
    # Order and message are committed together.
    "outbox": (SAFE, SAFE),
    # A relay is at least once: it dies after the charge, before the row is marked. It
    # is a process of its own: no worker, no result, no ack.
    "relay": (
        [Band(OK, "charge done"), Band(DUPLICATE, "update done"), Band(OK, "")],
        [],
    ),
    # Acked before it ran: nobody has the message any more.
    "early": (NEVER_AGAIN, NEVER_AGAIN),
    # A lost child is a failure, which is acked. A lost worker acks nothing.
    "no_reject": (NEVER_AGAIN, AGAIN),
    # Celery publishes it again when the child is lost (and asks for the stored result
    # first). When the worker is lost nobody does, and it was acked early.
    "retried": (AGAIN_UNTIL_STORED, NEVER_AGAIN),
}
