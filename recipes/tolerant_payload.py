"""A payload with a version: old ones are brought up, newer ones are kept.

Guarantees:
    - the work sees the newest version only: older payloads are brought up to it, one
      step for each version;
    - a payload that this release does not understand (a newer version, none that makes
      sense, a value that ``check`` refuses) is parked in a row, as it was sent, with
      the reason; wherever the process dies, and once per message;
    - ``unpark`` sends it again once a release understands it, at least once.

Does not:
    - notice a change of meaning without a new version. A field that an old reader may
      ignore is no new version; one that it must understand is;
    - make the work happen once: see ``celery_idempotent.py``.

Use: put ``TABLE`` into a migration; then::

    SCHEMA = Schema()


    @SCHEMA.step
    def one_to_two(payload: Payload) -> Payload:
        return payload | {"subject": "Your order"}


    @app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
    def mail(self, payload: Payload) -> None:
        with connect() as db:  # a psycopg connection, not in autocommit mode
            now = SCHEMA.taken(db, self.request.id, self.name, payload)
        if now is not None:
            send_mail(now["subject"], now["email"])


    # in each release, from beat
    unpark(SCHEMA, connect, lambda task, p, key: app.send_task(task, [p], task_id=key))

A payload without ``version`` is version 1.

Price: a function for each version that may still wait somewhere, a row for each message
that came too early, and an alarm on rows that nobody unparks.

Why: lesson 09, "A payload with a version" and "The remedies, under the same deploy".
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from psycopg import Connection

TABLE: Final = """
CREATE TABLE IF NOT EXISTS parked (
    key text PRIMARY KEY,
    task text NOT NULL,
    payload text NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    unparked_at timestamptz
)
"""
# An older release may get what was unparked: then it waits once more.
_PARK: Final = """
INSERT INTO parked (key, task, payload, reason) VALUES (%s, %s, %s, %s)
ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, unparked_at = NULL
"""
_WAITING: Final = "SELECT key FROM parked WHERE unparked_at IS NULL ORDER BY at"
_LOCK: Final = """
SELECT task, payload FROM parked WHERE key = %s AND unparked_at IS NULL
FOR UPDATE SKIP LOCKED
"""
Payload = dict[str, Any]
Step = Callable[[Payload], Payload]
Connect = Callable[[], "Connection[Any]"]
#: Called with task, payload and key; returns when the broker has the message.
Send = Callable[[str, Payload, str], object]


class NotUnderstood(Exception):
    """This release can't do what the payload says; another one can."""


def _accept(_: Payload) -> None:
    """What a schema without a ``check`` does."""


@dataclass
class Schema:
    """What a release understands.

    Attributes:
        oldest: the oldest version that may still wait somewhere.
        check: called with a payload of the newest version; raises NotUnderstood for a
            value that this release does not know, such as a new member of an enum.
        steps: the way from each version to the next, from ``oldest`` on.
    """

    oldest: int = 1
    check: Callable[[Payload], None] = _accept
    steps: list[Step] = field(default_factory=list)

    @property
    def current(self) -> int:
        """The newest version: one more than there are steps."""
        return self.oldest + len(self.steps)

    def step(self, function: Step) -> Step:
        """Take *function* for the next step; it returns a new payload."""
        self.steps.append(function)
        return function

    def read(self, payload: Payload) -> Payload:
        """The payload, brought up to the current version.

        Raises:
            NotUnderstood: it is newer, lacks what its version has, or has a value that
                ``check`` does not know.
        """
        version = payload.get("version", 1)
        # True is an int to Python, and would be version 1.
        if type(version) is not int or not self.oldest <= version <= self.current:
            known = f"{self.oldest} to {self.current}"
            raise NotUnderstood(f"version {version!r}; known: {known}")
        try:
            found = dict(payload)
            for up in self.steps[version - self.oldest :]:
                found = up(found)
            self.check(found)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise NotUnderstood(f"version {version}: {error!r}") from error
        return found | {"version": self.current}

    def taken(
        self, db: Connection[Any], key: str, task: str, payload: Payload
    ) -> Payload | None:
        """The payload in its current version; or None, and it is parked.

        Args:
            db: a connection whose block commits at its end.
            key: of the message, such as its task id.
            task: whom to send it to again.
            payload: as it was sent.
        """
        try:
            return self.read(payload)
        except NotUnderstood as reason:
            db.execute(_PARK, [key, task, json.dumps(payload), str(reason)])
            return None


def unpark(schema: Schema, connect: Connect, send: Send) -> int:
    """Send again what this release understands of what is parked; returns how much.

    Args:
        schema: of this release.
        connect: opens a connection, not in autocommit mode.
        send: sends one message, or raises.

    Raises:
        Exception: what *send* raised; its row, and those behind it, are kept.
    """
    with connect() as db:
        with db.transaction():
            keys = [key for (key,) in db.execute(_WAITING)]
        return sum(_unpark_one(schema, db, send, key) for key in keys)


def _unpark_one(schema: Schema, db: Connection[Any], send: Send, key: str) -> bool:
    with db.transaction():
        row = db.execute(_LOCK, [key]).fetchone()
        if row is None:
            return False
        task, text = row
        payload = json.loads(text)
        try:
            schema.read(payload)
        except NotUnderstood:
            return False
        # In this order a crash sends twice; in the other it loses.
        send(task, payload, key)
        mark = "UPDATE parked SET unparked_at = clock_timestamp() WHERE key = %s"
        db.execute(mark, [key])
    return True
