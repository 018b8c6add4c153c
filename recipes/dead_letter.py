"""A Celery base task whose failures are kept, also when nobody is left to say so.

Guarantees:
    - a task that fails for good (its last retry included) leaves a row: its name, its
      arguments, the error;
    - a message whose process has died ``deaths`` times, the pool process or the whole
      worker, is not begun again: it leaves a row, and ends as FAILURE ``Poisoned``;
    - ``replay`` has each row tried once more with a fresh count, wherever it dies.

Does not:
    - see what never begins (a name that no worker knows, lesson 09), or what a hard
      time limit ends (give a soft one, which is an error like others, lesson 07);
    - keep the rest of a chain, the headers or the queue: a letter is sent again as a
      task of its own, by the app's routes;
    - tell a death from a copy that still runs: more than ``deaths`` copies at once,
      from a ``visibility_timeout`` that is too short, look the same.

Use: put ``TABLES`` into a migration; a base of your own says where they are::

    class Kept(DeadLetterTask):
        def connect(self) -> psycopg.Connection:
            return psycopg.connect(DSN)


    @app.task(base=Kept, autoretry_for=(RequestException,), retry_backoff=60)
    def charge(order_id: int) -> None: ...


    replay(app, connect)  # by hand, when the cause is mended

Tasks must be idempotent: a message that is replayed, or whose process died, runs again.
Deaths are counted by the message's id. Override ``letter_key`` to count them by what
the message is about, so that one that is sent anew does not begin at zero.

Price: two commits per attempt, and somebody who looks at the table.

Why: lesson 03, "What comes out at the end" and "The way back that nobody counts".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from celery import Task
from celery.exceptions import Ignore, Reject, Retry

if TYPE_CHECKING:
    from celery import Celery
    from psycopg import Connection

TABLES: Final = """
CREATE TABLE IF NOT EXISTS begun (
    key text PRIMARY KEY,
    times int NOT NULL
);
CREATE TABLE IF NOT EXISTS dead_letter (
    key text PRIMARY KEY,
    message text NOT NULL,
    task text NOT NULL,
    args text NOT NULL,
    kwargs text NOT NULL,
    error text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    replayed_at timestamptz
)
"""
_BEGIN: Final = """
INSERT INTO begun (key, times) VALUES (%s, 1)
ON CONFLICT (key) DO UPDATE SET times = begun.times + 1 RETURNING times
"""
_FORGET: Final = "DELETE FROM begun WHERE key = %s"
# Given up once more after a replay, it is to be replayed once more.
_BURY: Final = """
INSERT INTO dead_letter (key, message, task, args, kwargs, error)
VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (key) DO UPDATE SET (message, task, args, kwargs, error, at, replayed_at)
= (excluded.message, excluded.task, excluded.args, excluded.kwargs, excluded.error,
   clock_timestamp(), NULL)
"""
_NEXT: Final = """
SELECT key, message, task, args, kwargs FROM dead_letter WHERE replayed_at IS NULL
ORDER BY at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
Connect = Callable[[], "Connection[Any]"]


class Poisoned(Exception):
    """The processes that worked at this message have died too often."""


class DeadLetterTask(Task):  # type: ignore[misc] # Celery ships no types
    """A task that leaves a row when it fails, and stops when it kills.

    Attributes:
        deaths: how many processes may die of one message.
    """

    acks_late = True
    reject_on_worker_lost = True
    deaths = 3

    def connect(self) -> Connection[Any]:
        """Open a connection to the database with the tables; override it."""
        raise NotImplementedError

    def letter_key(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:  # noqa: ARG002 - for those who override it
        """What deaths are counted by: one key per piece of work."""
        return str(self.request.id)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any task's
        """Run the task; Celery calls this in place of ``run``.

        Raises:
            Poisoned: it was begun ``deaths`` times, and nobody came back.
            Exception: what the task raised.
        """
        key = self.letter_key(args, kwargs)
        # Committed before the work: who dies can't count any more.
        if self._begin(key) > self.deaths:
            why = Poisoned(f"{self.deaths} processes have died of {self.name} {key}")
            # The count stays, for whoever sends the message once more.
            self._bury(key, args, kwargs, why)
            raise why
        try:
            found = self.run(*args, **kwargs)
        except (Retry, Ignore, Reject):
            self._forget(key)
            raise
        except Exception as error:
            self._bury(key, args, kwargs, error)
            self._forget(key)
            raise
        self._forget(key)
        return found

    def _begin(self, key: str) -> int:
        """Count an attempt; how many have begun since one came back."""
        with self.connect() as db:
            row = db.execute(_BEGIN, [key]).fetchone()
        return int(row[0]) if row else 1

    def _forget(self, key: str) -> None:
        with self.connect() as db:
            db.execute(_FORGET, [key])

    def _bury(self, key: str, args: object, kwargs: object, error: Exception) -> None:
        # What JSON can't carry is kept as text: a row that is odd beats none.
        packed = [json.dumps(value, default=repr) for value in (args, kwargs)]
        with self.connect() as db:
            row = [key, self.request.id, self.name, *packed, repr(error)]
            db.execute(_BURY, row)


def replay(app: Celery, connect: Connect) -> int:
    """Send each dead letter that was not replayed yet; returns how many.

    Args:
        app: sends them, under the ids that they had.
        connect: opens a connection, not in autocommit mode.

    Raises:
        kombu.exceptions.OperationalError: the broker is away; what is left stays.
    """
    sent = 0
    with connect() as db:
        while _replay_one(app, db):
            sent += 1
    return sent


def _replay_one(app: Celery, db: Connection[Any]) -> bool:
    with db.transaction():
        row = db.execute(_NEXT).fetchone()
        if row is None:
            return False
        key, message, task, args, kwargs = row
        db.execute(_FORGET, [key])
        # In this order a crash sends twice; in the other it loses.
        app.send_task(task, json.loads(args), json.loads(kwargs), task_id=message)
        mark = "UPDATE dead_letter SET replayed_at = clock_timestamp() WHERE key = %s"
        db.execute(mark, [key])
    return True
