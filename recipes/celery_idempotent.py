"""A Celery task that may run many times and counts once.

Guarantees, wherever its process or its whole worker dies, and with copies at once:
    - what the task writes through the connection of its block is there once per key,
      or not yet, and then its message is still with the broker;
    - whoever is asked with the same key as idempotency key is asked for one thing.

Does not:
    - help an effect that knows no key and is in no transaction of yours, such as a
      mail: send it last, or through ``outbox.py``;
    - stop a message that kills its process each time: see ``dead_letter.py``;
    - outlive any outage of the database: ten retries are over after 17 minutes at most,
      and the message with them; ``dead_letter.py`` keeps it;
    - shorten the hour after which Redis gives out again what a dead worker held
      (``visibility_timeout``, see ``safe_celery.py``).

Use: put ``TABLE`` into a migration, and write each task in this shape::

    def connect() -> psycopg.Connection:
        # A copy waits for the first one's commit, and not for ever.
        return psycopg.connect(DSN, options="-c lock_timeout=10s")


    @app.task(**OPTIONS)
    def charge(order_id: int) -> None:
        key = f"charge-{order_id}"
        with connect() as db:
            if first(db, key):
                payments.charge(order_id, key=key)
                db.execute("UPDATE orders SET paid = true WHERE id = %s", [order_id])

The key names the intention: one per thing that is meant to happen, made before the
first try (an order's id, a webhook's id). A ``uuid4()`` made in the task protects
nothing.

Price: one INSERT per message, and a row per key; delete rows that are older than any
message can be. The transaction is open while somebody else is asked: give the request a
timeout.

Why: lessons 01 (the key, the marker) and 02 (the late ack).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg.pq import TransactionStatus

if TYPE_CHECKING:
    from psycopg import Connection

TABLE: Final = """
CREATE TABLE IF NOT EXISTS done (
    key text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
#: Options of the task; delays are seconds.
OPTIONS: Final[dict[str, Any]] = {
    # The broker keeps the message until the task has returned, and gets it back when
    # the pool process dies.
    "acks_late": True,
    "reject_on_worker_lost": True,
    # A copy that waited too long, a deadlock, a restart of the database.
    "autoretry_for": (psycopg.OperationalError,),
    "retry_backoff": 1,
    "retry_backoff_max": 600,
    "retry_jitter": True,
    "max_retries": 10,
}


def first(db: Connection[Any], key: str) -> bool:
    """True if nobody has committed *key*; the marker commits with what you write.

    A copy that comes while the first is at work waits here until that has committed
    (then False) or has died (then True).

    Args:
        db: a connection that commits at the end of its block.
        key: names what is meant to happen once.

    Raises:
        RuntimeError: each statement of *db* commits by itself, so that a crash would
            leave the marker without its effect.
        psycopg.errors.LockNotAvailable: the other copy took longer than lock_timeout.
    """
    if db.autocommit and db.info.transaction_status == TransactionStatus.IDLE:
        raise RuntimeError(f"first({key!r}) needs a transaction: autocommit is on.")
    mark = "INSERT INTO done (key) VALUES (%s) ON CONFLICT DO NOTHING"
    return db.execute(mark, [key]).rowcount == 1
