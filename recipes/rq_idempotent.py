"""An RQ job that may run many times and counts once.

Guarantees, wherever its process or its whole worker dies, and with copies at once:
    - what the job writes through the connection of its block is there once per key;
    - a job whose process died is begun again, three times as a rule; after that it is
      in RQ's FailedJobRegistry, and not gone;
    - a job carries values, and no code (RQ's own default is pickle).

Does not:
    - help an effect that knows no key and is in no transaction of yours;
    - hurry: what a dead *worker* held is begun again when another worker cleans the
      registry, up to 10 minutes after its last heartbeat has run out (90 s);
    - wait between two tries: an interval needs ``rq worker --with-scheduler``.

Use: put ``TABLE`` into a migration; a job is a function at the top of a module::

    def charge(order_id: int) -> None:
        key = f"charge-{order_id}"
        with connect() as db:  # a psycopg connection, not in autocommit mode
            if first(db, key):
                payments.charge(order_id, key=key)
                db.execute("UPDATE orders SET paid = true WHERE id = %s", [order_id])


    send(queue(redis), charge, 1)

and start workers with the same serializer::

    rq worker --serializer rq.serializers.JSONSerializer default

Price: one INSERT per job, and a row per key; at most four runs of a job that kills.

Why: lessons 01 (the key, the marker), 03 (who counts deaths) and 09 (pickle is code).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, ParamSpec

from psycopg.pq import TransactionStatus
from rq import Queue, Retry
from rq.serializers import JSONSerializer

if TYPE_CHECKING:
    from collections.abc import Callable

    from psycopg import Connection
    from redis import Redis
    from rq.job import Job

TABLE: Final = """
CREATE TABLE IF NOT EXISTS done (
    key text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
#: How often a job is begun again after its process died, or after an error.
AGAIN: Final = 3

P = ParamSpec("P")


def queue(connection: Redis, name: str = "default") -> Queue:
    """The queue *name*, whose messages are JSON."""
    return Queue(name, connection=connection, serializer=JSONSerializer)


def send(to: Queue, job: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Job:
    """Publish a call of *job*, which is begun again when its process dies.

    Args:
        to: a queue of ``queue``.
        job: a function at the top of a module that workers can import.
        *args: of the call; what JSON can carry.
        **kwargs: likewise.

    Raises:
        redis.exceptions.RedisError: it is not known whether the job was stored. Send it
            again: its key makes it count once.
    """
    # Without a Retry, RQ begins a job at most once: a death is a failure.
    return to.enqueue_call(job, args=args, kwargs=kwargs, retry=Retry(max=AGAIN))


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
    """
    if db.autocommit and db.info.transaction_status == TransactionStatus.IDLE:
        raise RuntimeError(f"first({key!r}) needs a transaction: autocommit is on.")
    mark = "INSERT INTO done (key) VALUES (%s) ON CONFLICT DO NOTHING"
    return db.execute(mark, [key]).rowcount == 1
