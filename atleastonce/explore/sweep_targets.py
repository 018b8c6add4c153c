"""What is swept: a message, or a callable in a process of its own; and its restarts."""

from __future__ import annotations

import itertools
import pickle
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from atleastonce.errors import WaitTimeout
from atleastonce.waiting import Deadline, wait_until
from atleastonce.workers.plan import HEADER

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery.canvas import Signature

    from atleastonce.eventlog import EventLog
    from atleastonce.explore.copies import Copy
    from atleastonce.explore.victims import Victims
    from atleastonce.workers.plan import Plan

SERVE = "atleastonce.explore.callable_runner:serve"


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
        dead = victims.replace()
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
        held = list(self._victims.fleet.broker.unacked().values()).count(message)
        strikes = len(list(self._plan.glob("struck.*")))
        once = held == 1 and self._attempts.begun() == strikes == 1
        return {message} if once else set()

    def forget(self) -> None:
        """Drop the result's subscription."""
        self._result.forget()


class Call:
    """A callable, in a process of its own that is restarted until it has returned.

    Args:
        copy: what to call.
        victims: workers for what it publishes.
        folder: the lab's.
        left: how much is left to do after it has returned; None: nothing.
    """

    def __init__(
        self,
        copy: Copy,
        victims: Victims,
        folder: Path,
        left: Callable[[], object] | None,
    ) -> None:
        self._copy, self._victims, self._folder = copy, victims, folder
        self._left = left or (lambda: 0)
        self._log = folder / "log" / "call.log"

    def begin(self, plan: Plan) -> str:
        """Start its process."""
        message = f"call-{secrets.token_hex(8)}"
        self._order = Path(plan.folder, "order")
        order = {"path": sys.path, "plan": plan, "message": message}
        self._order.write_bytes(pickle.dumps(order | {"copy": self._copy.pack()}))
        self._fork()
        return message

    def _fork(self) -> None:
        fleet = self._victims.fleet
        self._process = fleet.fork(SERVE, str(self._order), log=self._log)

    def settle(self, most: int, timeout: float) -> None:
        """See ``Target``; a process that died or raised is started again."""
        deadline, failures = Deadline(timeout), 0
        while (failed := bool(self._ended(deadline))) or self._left():
            failures += failed
            if failures > most:
                raise Endless(
                    f"It is begun again and again: {failures} attempts.",
                    seen=self.tail(),
                )
            self._fork()
        self._victims.fleet.quiet(max(0.1, deadline.remaining), abandoned=True)

    def _ended(self, deadline: Deadline) -> int:
        """Its exit status."""
        fleet, pid = self._victims.fleet, self._process.pid

        def ended() -> bool:
            fleet.pump()
            return pid in fleet.board.ended or fleet.board.gone

        try:
            wait_until(
                ended,
                timeout=max(0.1, deadline.remaining),
                what="the process to end",
                seen=self.tail,
                interval=0.002,
            )
        except WaitTimeout:
            self._process.end()
            raise
        return fleet.board.ended.get(pid, 1)

    def tail(self) -> str:
        """The last lines that it said."""
        if not self._log.exists():
            return ""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-8:])

    def forget(self) -> None:
        """Nothing is left of it."""
