"""Faults by name, at an exact point of a task: ``kill(after="charge")``.

A place is one of

- a line number of the task's file, as a ``%%tasks`` cell shows it,
- a piece of the task's source that stands on exactly one of its lines,
- an effect: ``charge``, ``mail``, ``http``, ``commit``, ``rollback``, ``sql``,
  ``select``, ``insert``, ``update``, ``delete``, ``redis``, ``amqp``: a message that
  the task publishes through RabbitMQ,
- ``"delivered"``, for a whole worker: its main process has the message, and no pool
  process has begun it,
- ``"returned"``: the function is done, its result is not stored,
- ``"stored"``: the result is stored, the message is not acknowledged (if acked late),
- ``"publish"``, for ``lose_reply`` and ``cut`` only: in the notebook, on its way to the
  broker.

``after`` an effect means that the other side has done it, and that its reply is with
the client library, not with the task. A fault strikes once, on attempt 1 unless told
otherwise, and is written to the log before it strikes.
"""

from __future__ import annotations

from dataclasses import dataclass

from atleastonce.errors import FaultError
from atleastonce.workers.plan import BEFORE, DELIVERED, DONE, RETURNED, STORED, At

EFFECTS = frozenset(
    {"charge", "mail", "http", "commit", "rollback", "redis", "amqp"}
    | {"sql", "select", "insert", "update", "delete"}
)
#: The place of a fault between the notebook and the broker.
PUBLISH = "publish"
_SAID = {
    "kill": "killed",
    "term": "SIGTERM",
    "soft limit": "soft time limit",
    "freeze": "frozen",
    "lose reply": "reply lost",
    "cut": "connection cut",
}
_NAMED = {
    DELIVERED: "before the start",
    RETURNED: "before the result was stored",
    STORED: "before the ack",
}


@dataclass(frozen=True)
class Fault:
    """What to do to a worker, and where in its task; or to the notebook's connection.

    Attributes:
        action: as in ``Strike.action``.
        what: ``child`` or ``worker``, or ``producer``: the notebook, as it publishes.
        moment: ``before`` or ``after``.
        place: see the module.
        attempt: of the message, from 1; 0 for any.
        nth: which time the place is reached in that attempt, from 1.
    """

    action: str
    what: str
    moment: str
    place: int | str
    attempt: int = 1
    nth: int = 1

    @property
    def text(self) -> str:
        """As the timeline says it: ``killed after charge``."""
        said = _SAID[self.action]
        if self.place in _NAMED:
            return f"{said} {_NAMED[str(self.place)]}"
        where = f"line {self.place}" if isinstance(self.place, int) else self.place
        return f"{said} {self.moment} {where}"

    @property
    def in_producer(self) -> bool:
        """True if it strikes as a message is published, not as its task runs."""
        return self.what == "producer"

    @property
    def on_a_line(self) -> bool:
        """True if the place is a line, so that a task's source is needed to find it."""
        return self.place not in EFFECTS and self.place not in _NAMED

    def at(self, file: str = "", line: int = 0) -> At:
        """The points it strikes at; a place on a line has been found to be *line*."""
        if self.place in _NAMED:
            return At(effect=str(self.place), nth=self.nth)
        if not self.on_a_line:
            moment = BEFORE if self.moment == "before" else DONE
            return At(effect=str(self.place), moment=moment, nth=self.nth)
        if self.moment == "before":
            return At(file=file, line=line, effect="line", nth=self.nth)
        return At(file=file, left=line, nth=self.nth)


def kill(
    what: str = "child",
    *,
    before: int | str | None = None,
    after: int | str | None = None,
    attempt: int = 1,
    nth: int = 1,
) -> Fault:
    """SIGKILL to the pool process that runs the task, or to its whole worker.

    Args:
        what: ``child`` or ``worker``; a worker's main process dies first.
        before: the place before which it dies; or
        after: the place after which it dies.
        attempt: of the message, from 1.
        nth: which time the place is reached in that attempt.

    Raises:
        FaultError: not exactly one of *before* and *after*, or an unknown *what*, or a
            *what* that is not there at that place.
    """
    return _fault("kill", what, before, after, (attempt, nth))


def term(
    *,
    before: int | str | None = None,
    after: int | str | None = None,
    attempt: int = 1,
    nth: int = 1,
) -> Fault:
    """SIGTERM to the worker: it finishes what runs, and ends. As for ``kill``."""
    return _fault("term", "worker", before, after, (attempt, nth))


def soft_limit(
    *,
    before: int | str | None = None,
    after: int | str | None = None,
    attempt: int = 1,
    nth: int = 1,
) -> Fault:
    """What a soft time limit does: ``SoftTimeLimitExceeded`` is raised in the task.

    In the pool ``prefork`` only, as Celery's own. As for ``kill``.
    """
    return _fault("soft limit", "child", before, after, (attempt, nth))


def freeze(
    what: str = "child",
    *,
    before: int | str | None = None,
    after: int | str | None = None,
    attempt: int = 1,
    nth: int = 1,
) -> Fault:
    """SIGSTOP, until ``worker.thaw()``. As for ``kill``."""
    return _fault("freeze", what, before, after, (attempt, nth))


def lose_reply(effect: str, *, attempt: int = 1, nth: int = 1) -> Fault:
    """The other side does it; its reply never arrives, and the connection is gone.

    The task sees the error that its client library raises then. Where *effect* is
    ``"publish"`` the other side is the broker: it takes the message, and the notebook
    that publishes never hears so. Celery 5.7 sends it once more, and ``delay()``
    returns as ever (measured with redis-py 8.1 and py-amqp 5.4). RabbitMQ replies to
    messages that are to be confirmed, and to no others.

    Args:
        effect: such as ``charge``, ``mail``, ``commit``, ``redis``; or ``publish``.
        attempt: of the message, from 1; publishing comes before all attempts.
        nth: which time the effect is reached in that attempt; which message is
            published.

    Raises:
        FaultError: *effect* is none that we know.
    """
    return _on_effect("lose reply", "after", effect, (attempt, nth))


def cut(effect: str, *, attempt: int = 1, nth: int = 1) -> Fault:
    """The connection is gone before the request is sent. As for ``lose_reply``.

    A message to RabbitMQ that is not to be confirmed is lost, and ``delay()`` returns
    as ever: measured.
    """
    return _on_effect("cut", "before", effect, (attempt, nth))


def _fault(
    action: str,
    what: str,
    before: int | str | None,
    after: int | str | None,
    when: tuple[int, int],
) -> Fault:
    if (before is None) == (after is None):
        raise FaultError(
            f"A {action} needs one place, and exactly one.",
            attempt='kill(after="charge")',
        )
    if what not in ("child", "worker"):
        raise FaultError(
            f"There is no {what!r} to {action}.", attempt='kill("worker", ...)'
        )
    place = after if before is None else before
    if place == DELIVERED and what != "worker":
        raise FaultError(
            "A message that was delivered is in no pool process yet.",
            attempt='kill("worker", after="delivered")',
        )
    moment = "after" if before is None else "before"
    return Fault(action, what, moment, place or 0, *when)


def _on_effect(action: str, moment: str, effect: str, when: tuple[int, int]) -> Fault:
    if effect not in EFFECTS | {PUBLISH}:
        known = ", ".join(sorted(EFFECTS | {PUBLISH}))
        raise FaultError(f"{effect!r} is no effect; there are {known}.")
    if effect == PUBLISH and when[0] != 1:
        raise FaultError(
            "A message is published before its first attempt, and not again.",
            attempt='lose_reply("publish", nth=2)',
        )
    what = "producer" if effect == PUBLISH else "child"
    return Fault(action, what, moment, effect, *when)
