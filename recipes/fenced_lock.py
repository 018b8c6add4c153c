"""A lock with an expiry, whose old holder can do no harm.

Guarantees:
    - of two that want the lock, one gets it; a dead holder keeps it for ``ttl``
      seconds, by the database's clock and nobody else's;
    - each holder's token is larger than all before it;
    - once somebody newer has the lock, nothing that an older holder writes behind
      ``fence`` is committed, however long that one was frozen, swapped out or cut off.

Does not:
    - protect what is written without ``fence``, or to another system: pass the token
      along, and let that one refuse a smaller token than it has seen;
    - make the work happen once: a holder that dies half-way leaves half of its commits;
    - let a newer holder in while an older one stands still *between* ``fence`` and its
      COMMIT: set ``idle_in_transaction_session_timeout``, and keep that block short.

Use: put ``TABLE`` into the database that the work writes to; then::

    try:
        with held(connect, "report-july", ttl=60) as token:
            body = compute()
            with connect() as db:  # a psycopg connection, not in autocommit mode
                fence(db, "report-july", token)
                db.execute("UPDATE reports SET body = %s WHERE month = 7", [body])
    except Busy:
        raise task.retry(countdown=5) from None

Price: a commit to take it, one to give it back, one more statement in each write, and a
row per key for ever: a token that is forgotten would be given out twice.

Why: lesson 05, "a lock that ends in the middle", and the stretch exercise of its lab.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from psycopg.pq import TransactionStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection

TABLE: Final = """
CREATE TABLE IF NOT EXISTS fenced_lock (
    key text PRIMARY KEY,
    token bigint NOT NULL,
    until timestamptz NOT NULL
)
"""
# One statement: two that come at once queue up at the row, and the second looks again.
_TAKE: Final = """
INSERT INTO fenced_lock (key, token, until)
VALUES (%(key)s, 1, clock_timestamp() + make_interval(secs => %(ttl)s))
ON CONFLICT (key) DO UPDATE SET token = fenced_lock.token + 1, until = excluded.until
WHERE fenced_lock.until <= clock_timestamp()
RETURNING token
"""
_FREE: Final = """
UPDATE fenced_lock SET until = '-infinity' WHERE key = %s AND token = %s
"""
Connect = Callable[[], "Connection[Any]"]


class Busy(Exception):
    """Somebody else has the lock."""


class Fenced(Exception):
    """Somebody newer has had the lock since: nothing may be written any more."""


def acquire(db: Connection[Any], key: str, ttl: float) -> int | None:
    """Take the lock for *ttl* seconds; the token, or None while somebody has it.

    It counts from the commit of *db*.
    """
    row = db.execute(_TAKE, {"key": key, "ttl": ttl}).fetchone()
    return int(row[0]) if row else None


def release(db: Connection[Any], key: str, token: int) -> bool:
    """Free the lock if *token* is the newest; False, and nothing changes, if not."""
    return db.execute(_FREE, [key, token]).rowcount == 1


def fence(db: Connection[Any], key: str, token: int) -> None:
    """Let the transaction of *db* commit only if nobody newer has had the lock.

    Call it first. From then on a newer holder waits for the end of the transaction.

    Raises:
        Fenced: somebody newer has.
        RuntimeError: each statement of *db* commits by itself, so that somebody newer
            could come between this look and what you write.
    """
    if db.autocommit and db.info.transaction_status == TransactionStatus.IDLE:
        raise RuntimeError(f"fence({key!r}) needs a transaction: autocommit is on.")
    mine = "SELECT 1 FROM fenced_lock WHERE key = %s AND token = %s FOR SHARE"
    if db.execute(mine, [key, token]).fetchone() is None:
        raise Fenced(f"{key}: token {token} is not the newest")


@contextmanager
def held(connect: Connect, key: str, ttl: float) -> Iterator[int]:
    """Hold the lock for the block, and give it back; gives the token.

    Args:
        connect: opens a connection whose block commits at its end.
        key: what is locked.
        ttl: seconds; longer than the slowest honest run.

    Raises:
        Busy: somebody else has it.
    """
    with connect() as db:
        token = acquire(db, key, ttl)
    if token is None:
        raise Busy(key)
    try:
        yield token
    finally:
        with connect() as db:
            release(db, key, token)
