"""What is swept: a target; and a message, which its broker delivers again."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from atleastonce.errors import WaitTimeout
from atleastonce.waiting import Deadline, wait_until
from atleastonce.workers.plan import HEADER

if TYPE_CHECKING:
    from celery.canvas import Signature

    from atleastonce.eventlog import EventLog
    from atleastonce.explore.victims import Victims
    from atleastonce.workers.plan import Plan


class Endless(WaitTimeout):
    """Something is left to do, and will be."""


class Target(Protocol):
    """What a fault is planted in."""

    def begin(self, plan: Plan) -> str:
        """Start the first attempt; returns the message that attempts are counted by."""

    def settle(self, most: int, timeout: float) -> None:
        """Return when nothing is left to do.

        Raises:
            WaitTimeout: something is, after *timeout* seconds or *most* attempts.
        """

    def forget(self) -> None:
        """Drop what the last run left."""


class Attempts:
    """The attempts of one message, as ``workers.attempts`` counts them."""

    def __init__(self, folder: Path, message: str) -> None:
        self._folder, self._message = folder / "attempts", message

    def path(self, number: int) -> Path:
        """The file that is there once attempt *number* has begun."""
        return self._folder / f"{self._message}.{number}"

    def begun(self) -> int:
        """How many have begun."""
        return next(n for n in itertools.count() if not self.path(n + 1).exists())

    def check(self, most: int) -> None:
        """Raise if more than *most* have begun.

        Raises:
            Endless: more have.
        """
        if self.path(most + 1).exists():
            raise Endless(f"It is begun again and again: {most + 1} attempts.")


class Story:
    """What the lab's log says of one message, read as it grows."""

    def __init__(self, log: EventLog, message: str, since: int) -> None:
        self._log, self._message, self._at = log, message, since
        self._last = ""

    def finished(self) -> bool:
        """True if the last attempt that began has ended, however."""
        events, self._at = self._log.read(self._at)
        for event in events:
            if event.message == self._message and event.kind in ("start", "finish"):
                self._last = event.kind
        return self._last == "finish"


class Message:
    """A Celery task: published once, redelivered by the broker.

    Args:
        signature: the task with its arguments and options.
        victims: the workers.
        folder: the lab's.
    """

    def __init__(self, signature: Signature, victims: Victims, folder: Path) -> None:
        self._signature, self._victims, self._folder = signature, victims, folder
        self._result: Any = None

    def begin(self, plan: Plan) -> str:
        """Publish it, with *plan* in its header."""
        self._plan, log = Path(plan.folder), self._victims.fleet.events
        since = log.path.stat().st_size if log.path.exists() else 0
        self._result = self._signature.apply_async(headers={HEADER: plan.to_json()})
        self._attempts = Attempts(self._folder, self._result.id)
        self._story = Story(log, self._result.id, since)
        return str(self._result.id)

    def settle(self, most: int, timeout: float) -> None:
        """See ``Target``. Dead workers are replaced, what they held is redelivered."""
        deadline = Deadline(timeout)
        wait_until(
            self._attempts.path(1).exists,
            timeout=timeout,
            what="a worker to begin the task",
            seen=self._victims.log,
            interval=0.002,
        )
        self._await_finish(most)
        while self._unsettled(most, deadline):
            self._attempts.check(most)

    def _await_finish(self, most: int) -> None:
        """Look at files until the last attempt is over: a question costs far more.

        It only puts off the questions, for a second at most; it answers none.
        """
        overrun, story = self._attempts.path(most + 1), self._story

        def over() -> bool:
            return story.finished() or overrun.exists() or bool(self._victims.dead())

        with suppress(WaitTimeout):
            wait_until(over, timeout=1.0, what="the attempt to end", interval=0.003)

    def _unsettled(self, most: int, deadline: Deadline) -> bool:
        """Wait until all is quiet or a hand is needed, and lend it."""
        victims, overrun = self._victims, self._attempts.path(most + 1)
        victims.fleet.quiet(
            max(0.1, deadline.remaining),
            abandoned=True,
            unless=lambda: victims.dead() or overrun.exists(),
        )
        if overrun.exists():
            return True
        dead = victims.bury()
        abandoned = self._surely_abandoned() if dead else victims.abandoned()
        victims.redeliver(abandoned)
        if abandoned:
            self._await_finish(most)
        return bool(dead or abandoned)

    def _surely_abandoned(self) -> set[str]:
        """Our message, if it was delivered once and its strike killed the worker.

        Anything else waits until all workers are idle: one may hold a retry of it.
        """
        message = self._result.id
        kept = self._victims.fleet.broker.backlog().kept
        held = list(kept.values()).count(message)
        strikes = len(list(self._plan.glob("struck.*")))
        once = held == 1 and self._attempts.begun() == strikes == 1
        return {message} if once else set()

    def forget(self) -> None:
        """Drop the result's subscription, where results are kept."""
        with suppress(NotImplementedError):
            self._result.forget()
