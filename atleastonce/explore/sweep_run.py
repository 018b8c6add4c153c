"""One run of a sweep: the world put back, a fault planted, and what came of it."""

from __future__ import annotations

import json
import secrets
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from atleastonce.errors import ExploreError, WaitTimeout
from atleastonce.eventlog import EventLog
from atleastonce.explore import ledgers, sweep_points
from atleastonce.explore.keys import Keys
from atleastonce.explore.tables import Tables
from atleastonce.workers.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atleastonce.addresses import Addresses
    from atleastonce.events import Event
    from atleastonce.explore.outcomes import World
    from atleastonce.explore.sweep_targets import Target
    from atleastonce.explore.victims import Victims
    from atleastonce.workers.plan import Strike
    from atleastonce.workers.points import Point


@dataclass(frozen=True)
class Outside:
    """What a run can't see for itself.

    Attributes:
        world: returns what an outcome is judged by.
        reset: called before every run, for what lies outside of Postgres, Redis,
            gateway and mailbox.
        files: whose lines are points; default: the target's.
        timeout: seconds until a run must be over.
        most: attempts after which it counts as endless.
    """

    world: Callable[[], World]
    reset: Callable[[], object] | None
    files: tuple[str, ...]
    timeout: float
    most: int


@dataclass(frozen=True)
class Run:
    """What one run left.

    Attributes:
        world: when nothing was left to do.
        points: of each attempt, from the first.
        strikes: the records of those that struck.
        endless: why it is not over; "" if it is.
        strangers: what someone else did meanwhile; "" for nothing.
        failed: how its last attempt failed, such as ``FAILURE ValueError``; "" if it
            did not.
        log: what the workers said last, if it failed.
    """

    world: World
    points: tuple[tuple[Point, ...], ...]
    strikes: tuple[dict[str, Any], ...]
    endless: str = ""
    strangers: str = ""
    failed: str = ""
    log: str = ""

    @property
    def last(self) -> str:
        """Where the last attempt was seen last."""
        points = self.points[-1] if self.points else ()
        return sweep_points.said(points[-1]) if points else "before its first line"


class Bed:
    """Runs one target again and again, each time from the same start.

    Attributes:
        fresh: True to start new workers before every run.

    Args:
        addresses: the lab's.
        target: what is run.
        victims: its workers; they run from now on.
        outside: see there.

    Raises:
        ExploreError: messages are left from before.
    """

    def __init__(
        self, addresses: Addresses, target: Target, victims: Victims, outside: Outside
    ) -> None:
        self._addresses, self._target = addresses, target
        self._victims, self._outside = victims, outside
        self._events = EventLog(addresses.events)
        self._plans = Path(addresses.folder, "plans")
        self.fresh = False
        try:
            self._begin()
        except BaseException:
            victims.end()
            raise

    def _begin(self) -> None:
        """Start the workers, and remember the world."""
        self._victims.end()
        backlog = self._victims.fleet.broker.backlog()
        if backlog.waiting or backlog.unacked:
            raise ExploreError(
                "The broker holds messages that are not the sweep's.",
                seen=f"waiting {backlog.waiting}, {backlog.unacked} unacked",
                attempt="lab.wait() or lab.reset() first",
            )
        self._victims.start()
        dsn = self._addresses.dsn()
        self._tables = Tables(dsn, self._outside.timeout)
        self._keys = Keys(self._addresses)

    def run(self, strikes: Sequence[Strike] = ()) -> Run:
        """Run the target to its end, struck by *strikes*."""
        self.restore()
        if self.fresh:
            self._victims.start()
        folder = self._plans / secrets.token_hex(4)
        folder.mkdir(parents=True)
        _, since = self._events.read(self._size())
        plan = Plan(str(folder), self._outside.files, tuple(strikes))
        message, endless = self._target.begin(plan), ""
        try:
            endless = self._settle()
            self._victims.refill()
            seen = self._seen(folder, message, endless)
            events, _ = self._events.read(since)
            failed = failure(events, message)
            log = self._victims.log() if failed else ""
            others = strangers(events, message)
            return replace(seen, strangers=others, failed=failed, log=log)
        finally:
            # What hangs, or was left half broken, is not for the next run.
            if endless or any(s.action in sweep_points.SPARING for s in strikes):
                self._victims.start()
            self._target.forget()
            shutil.rmtree(folder)

    def _size(self) -> int:
        return self._events.path.stat().st_size if self._events.path.exists() else 0

    def _settle(self) -> str:
        try:
            self._target.settle(self._outside.most, self._outside.timeout)
        except WaitTimeout as error:
            return f"{error.what} {error.seen}".strip()
        return ""

    def _seen(self, folder: Path, message: str, endless: str) -> Run:
        attempts: list[tuple[Point, ...]] = []
        while (path := folder / f"trace.{message}.{len(attempts) + 1}").exists():
            attempts.append(tuple(sweep_points.read(path.read_text())))
        struck = [json.loads(p.read_text()) for p in sorted(folder.glob("struck.*"))]
        return Run(self.look(), tuple(attempts), tuple(struck), endless)

    def look(self) -> World:
        """The world now.

        Raises:
            ExploreError: it is no dictionary.
        """
        found = self._outside.world()
        if not isinstance(found, dict) or not found:
            raise ExploreError(
                f"world() must return a dict of counts, and returned {found!r}.",
                attempt="return {'charges': 1}, or whatever the task changes",
            )
        return dict(found)

    def restore(self) -> None:
        """Put everything back to the start."""
        self._tables.restore()
        self._victims.fleet.broker.empty()
        self._keys.restore()
        ledgers.empty(self._addresses)
        if self._outside.reset:
            self._outside.reset()

    def __enter__(self) -> Self:
        """Ready."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers, put the world back."""
        self._victims.end()
        self.restore()
        self._tables.close()
        self._keys.close()


def strangers(events: Sequence[Event], message: str) -> str:
    """Who published, or had an effect, that *message* did not cause; "" for nobody."""
    family = {message}
    for event in events:
        if event.kind == "publish" and family & {event.message, *event.ties}:
            family.add(event.message)
    foreign = [
        f"{event.lane}: {event.text}"
        for event in events
        if event.kind in ("publish", "effect") and event.message not in family
    ]
    return "; ".join(foreign)


def failure(events: Sequence[Event], message: str) -> str:
    """How the last attempt of *message* failed; "" if it did not."""
    ends = [e.text for e in events if (e.kind, e.message) == ("finish", message)]
    return ends[-1] if ends and ends[-1].startswith("FAILURE") else ""
