"""A transactional outbox: what is committed is published, and nothing else is.

Guarantees:
    - a message exists exactly when the transaction that ``put`` it has committed;
    - it is published at least once, wherever the view or the relay dies, and with any
      number of relays side by side;
    - each publish of it carries the same key, which a consumer can be idempotent by.

Does not:
    - publish once: a relay that dies after its publish leaves the row to the next one;
    - keep an order, with more than one relay;
    - know what the broker loses later (a reconciler over the orders themselves does);
    - pass by a row that the broker refuses: that one is the first until it is gone. Put
      an alarm on ``oldest``, which sees that and a relay that doesn't run.

Use: put ``TABLE`` into a migration; then, in the view and in a process of its own::

    with connect() as db:  # a psycopg connection, not in autocommit mode
        db.execute("UPDATE orders SET accepted = true WHERE id = %s", [order_id])
        put(db, "shop.tasks.ship", {"order_id": order_id})


    def publish(topic: str, payload: Payload, key: str) -> None:
        app.send_task(topic, kwargs=payload, task_id=key)


    while not stopped():
        relay(connect, publish) or sleep(1)

Price: one INSERT in the view; three round trips for each message in the relay, and the
time between two of its looks.

Why: lesson 02, "In the view".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from psycopg.pq import TransactionStatus
from psycopg.types.json import Json

if TYPE_CHECKING:
    from psycopg import Connection

TABLE: Final = """
CREATE TABLE IF NOT EXISTS outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key uuid NOT NULL DEFAULT gen_random_uuid(),
    topic text NOT NULL,
    payload json NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
# A row that another relay is publishing is passed by.
_NEXT: Final = """
SELECT id, key, topic, payload FROM outbox ORDER BY id LIMIT 1
FOR UPDATE SKIP LOCKED
"""
Payload = dict[str, Any]
Connect = Callable[[], "Connection[Any]"]
#: Called with topic, payload and key; returns when the broker has the message.
Publish = Callable[[str, Payload, str], object]


def put(db: Connection[Any], topic: str, payload: Payload) -> None:
    """Have a message published once the transaction of *db* has committed.

    Args:
        db: the connection that writes what the message is about.
        topic: what ``publish`` understands, such as the name of a task.
        payload: what JSON can carry.

    Raises:
        RuntimeError: each statement of *db* commits by itself, so that a crash would
            leave the one without the other.
    """
    if db.autocommit and db.info.transaction_status == TransactionStatus.IDLE:
        raise RuntimeError(f"put({topic!r}) needs a transaction: autocommit is on.")
    row = "INSERT INTO outbox (topic, payload) VALUES (%s, %s)"
    db.execute(row, [topic, Json(payload)])


def relay(connect: Connect, publish: Publish) -> int:
    """Publish what was committed and is not published yet; returns how much.

    Args:
        connect: opens a connection, not in autocommit mode.
        publish: sends one message, or raises.

    Raises:
        Exception: what *publish* raised; its row, and those behind it, are kept.
    """
    sent = 0
    with connect() as db:
        while _relay_one(db, publish):
            sent += 1
    return sent


def _relay_one(db: Connection[Any], publish: Publish) -> bool:
    with db.transaction():
        row = db.execute(_NEXT).fetchone()
        if row is None:
            return False
        number, key, topic, payload = row
        # In this order a crash between the two publishes twice; in the other it loses.
        publish(topic, payload, str(key))
        db.execute("DELETE FROM outbox WHERE id = %s", [number])
    return True


def oldest(db: Connection[Any]) -> float:
    """Seconds that the oldest message waits, by the database's clock; 0 if none."""
    age = "SELECT extract(epoch FROM clock_timestamp() - min(at)) FROM outbox"
    row = db.execute(age).fetchone()
    return float(row[0]) if row and row[0] is not None else 0.0
