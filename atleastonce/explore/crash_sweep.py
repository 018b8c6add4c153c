"""``crash_sweep(task, *args)``: a fault at every point, each in a run of its own."""

from __future__ import annotations

import linecache
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from atleastonce.errors import ExploreError
from atleastonce.explore import bench, sweep_points
from atleastonce.explore.copies import Copy
from atleastonce.explore.outcomes import STUCK, Judged, judge
from atleastonce.explore.progress import Progress
from atleastonce.explore.sweep import Sweep
from atleastonce.explore.sweep_run import Bed, Outside, Run
from atleastonce.explore.sweep_table import Row, picture
from atleastonce.explore.sweep_targets import Call, Message
from atleastonce.explore.victims import Victims
from atleastonce.workers.plan import Strike

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from atleastonce.explore.bench import Bench
    from atleastonce.explore.outcomes import World
    from atleastonce.explore.sweep_targets import Target
    from atleastonce.workers.points import Point

#: Attempts beyond those of the undisturbed run and the strikes: a message that is
#: begun more often than that is begun for ever.
PATIENCE = 8
_SAID = {
    "kill": "killed",
    "term": "terminated",
    "soft limit": "stopped by a soft time limit",
    "lose reply": "reply lost",
    "cut": "connection cut",
}


def crash_sweep(  # noqa: PLR0913 - every option is a keyword with a default
    target: object,
    *args: object,
    world: Callable[[], World] | None = None,
    setup: Callable[[], object] | None = None,
    reset: Callable[[], object] | None = None,
    kill: Literal["child", "worker"] = "child",
    fault: str = "kill",
    attempt: int | Sequence[int] = 1,
    stuck: Sequence[str] = (),
    left: Callable[[], object] | None = None,
    files: Sequence[str | Path] = (),
    settings: Mapping[str, object] | None = None,
    timeout: float = 20.0,
    on: Bench | None = None,
) -> Sweep:
    """Strike *target* at every point it has, and compare what becomes of its work.

    An undisturbed run lists the points: the lines of the target's file, and before,
    done and after of every SQL statement, COMMIT, ROLLBACK, Redis command, HTTP request
    and mail, wherever it happens; "returned, result not stored" and "stored, message
    not acknowledged". Then each point is struck in a run of its own, the broker
    delivers again as it does, and when nothing is left to do, the world is compared
    with the undisturbed one.

    Args:
        target: a task or its signature; or any callable that another process can
            import (a view, a relay, a management command), which is restarted until it
            returns.
        args: what it is called with.
        world: returns the counts and values that an outcome is judged by; default: the
            open lab's.
        setup: makes the start; called once. Postgres and Redis are put back to it
            before every run, gateway and mailbox are emptied.
        reset: called before every run, for what lies outside of these.
        kill: what a kill hits: the pool ``child``, or the whole ``worker``; then its
            message is redelivered to a stand-by.
        fault: ``kill``, ``term`` (SIGTERM to the worker), ``soft limit``, ``lose
            reply`` (the other side has done it), ``cut`` (before the request, too).
        attempt: which attempt is struck, from 1; several are all struck at the same
            point.
        stuck: names in the world of what waits for nobody when it is more than
            expected, such as ``orders in progress``.
        left: for a callable: how much is left to do; it is called until nothing is.
        files: whose lines are points; default: the file of the target.
        settings: Celery settings of the workers, such as ``{"task_acks_late": True}``.
        timeout: seconds until a run must be over.
        on: where to work; default: the lab that is open.

    Raises:
        ExploreError: nothing can be concluded: the target fails or never ends without
            a fault, or is not deterministic.
        SettingsError: this process belongs to no lab.
    """
    began = time.monotonic()
    place = on or bench.current()
    attempts = (attempt,) if isinstance(attempt, int) else tuple(attempt)
    what = "worker" if fault == "term" else kill
    if setup:
        setup()
    victims = Victims(_fleet(place), what, _modules(place, target), settings or {})
    swept, text = _target(target, args, victims, Path(place.addresses.folder), left)
    outside = Outside(
        world or _world(place),
        reset,
        tuple(str(Path(file).resolve()) for file in files),
        timeout,
        most=PATIENCE + len(attempts),
    )
    with Bed(place.addresses, swept, victims, outside) as bed:
        series = Series(bed, fault, what, attempts, tuple(stuck))
        series.play()
    return series.result(text, time.monotonic() - began)


@dataclass
class Tried:
    """One point, the run that struck it, and what became of the work."""

    point: Point
    run: Run
    judged: Judged


class Series:
    """All runs of one sweep."""

    def __init__(
        self,
        bed: Bed,
        fault: str,
        what: str,
        attempts: tuple[int, ...],
        stuck: tuple[str, ...],
    ) -> None:
        self._bed, self._stuck = bed, stuck
        self._fault, self._what, self._attempts = fault, what, attempts
        self._problems: list[str] = []
        self._tried: list[Tried] = []
        bed.restore()
        self._start = bed.look()

    def play(self) -> None:
        """Run undisturbed, run each point, confirm, run undisturbed once more."""
        self._dry = self._undisturbed()
        points = self._points()
        with Progress() as progress:
            for n, point in enumerate(points, 1):
                progress.show(f"{n} of {len(points)} points")
                self._try(point)
            self._confirm()
        last = self._bed.run()
        if difference := self._differs(last):
            self._problems.append(
                f"an undisturbed run at the end differs: {difference}."
            )

    def _undisturbed(self) -> Run:
        """The yardstick; run twice, because a yardstick must not change.

        Raises:
            ExploreError: it does, or it never ends.
        """
        self._dry = self._bed.run()
        self._must_end(self._dry)
        again = self._bed.run()
        self._must_end(again)
        if difference := self._differs(again):
            raise ExploreError(
                "Two undisturbed runs differ: the target is not deterministic, or "
                "someone else changes the world.",
                seen=difference,
                attempt="let world() return counts and sums, and nothing of a clock",
            )
        return self._dry

    def _must_end(self, run: Run) -> None:
        if run.endless:
            raise ExploreError(
                f"Without any fault the target does not come to an end. {run.endless}",
                seen=f"{len(run.points)} attempts, the last at {run.last}",
                attempt="run it once by hand, or give a longer timeout=",
            )

    def _differs(self, run: Run) -> str:
        """In what an undisturbed run is not the first one; "" if they are equal."""
        if run.endless or run.strangers:
            return run.endless or f"someone else was at work: {run.strangers}"
        if run.world != self._dry.world:
            return judge(run.world, self._dry.world, self._start).evidence
        pairs = zip(self._dry.points, run.points, strict=False)
        parts = (sweep_points.difference(one, two) for one, two in pairs)
        return next(filter(None, parts), "")

    def _points(self) -> list[Point]:
        first = self._attempts[0]
        if len(self._dry.points) < first:
            raise ExploreError(
                f"There is no attempt {first}: an undisturbed run has "
                f"{len(self._dry.points)}.",
                attempt="attempt=1, or attempt=(1, 2) to strike again after a restart",
            )
        found = sweep_points.chosen(self._dry.points[first - 1], self._fault)
        if not found:
            raise ExploreError(
                f"The target has no point at which {self._fault!r} can strike.",
                seen=f"{len(self._dry.points[first - 1])} points",
            )
        return found

    def _try(self, point: Point) -> None:
        run = self._struck(point)
        if problem := self._unusable(point, run):
            self._problems.append(problem)
        else:
            self._tried.append(Tried(point, run, self._judge(run)))

    def _struck(self, point: Point) -> Run:
        """A run with the fault at *point*, on each of the attempts."""
        at = sweep_points.place(point, self._dry.points[self._attempts[0] - 1])
        text = f"{_SAID[self._fault]} at {sweep_points.said(point)}"
        return self._bed.run(
            [
                Strike(f"{n}", self._fault, self._what, text, at, n)
                for n in self._attempts
            ]
        )

    def _unusable(self, point: Point, run: Run) -> str:
        """Why nothing can be concluded from *run*; "" if something can."""
        where = sweep_points.said(point)
        if run.strangers:
            return f"at {where}: someone else was at work: {run.strangers}."
        if not run.strikes:
            return f"the fault planted at {where} did not strike."
        struck = sweep_points.struck_at(run.strikes[0])
        if sweep_points.identity(struck) != sweep_points.identity(point):
            return (
                f"the fault planted at {where} struck at {sweep_points.said(struck)}."
            )
        return ""

    def _judge(self, run: Run) -> Judged:
        if run.endless:
            return Judged(STUCK, f"{run.endless} Last seen at {run.last}.")
        return judge(run.world, self._dry.world, self._start, self._stuck)

    def _confirm(self) -> None:
        """What only one row shows is seen twice, or it is no fact."""
        for before, tried, after in _neighbours(self._tried):
            if tried.judged in (before, after) or not tried.judged.evidence:
                continue
            run = self._struck(tried.point)
            again = self._judge(run)
            if not self._unusable(tried.point, run) and again != tried.judged:
                where = sweep_points.said(tried.point)
                self._problems.append(
                    f"struck twice at {where}, two worlds: {tried.judged.evidence}, "
                    f"then {again.evidence or 'as expected'}."
                )

    def result(self, target: str, seconds: float) -> Sweep:
        """The sweep."""
        rows = [
            Row(
                tried.point,
                tried.judged.outcome,
                tried.judged.evidence,
                len(tried.run.strikes),
                len(tried.run.points),
            )
            for tried in self._tried
        ]
        return Sweep(
            target=target,
            fault=self._said(),
            rows=tuple(rows),
            expected=self._dry.world,
            start=self._start,
            problems=tuple(self._problems),
            lines=tuple(picture(rows, _source)),
            seconds=seconds,
        )

    def _said(self) -> str:
        said = _SAID[self._fault]
        if self._fault not in ("lose reply", "cut"):
            said = f"{self._what} {said}"
        if self._attempts != (1,):
            said += f" on attempt {' and '.join(map(str, self._attempts))}"
        return said


def _neighbours(
    tried: Sequence[Tried],
) -> Iterator[tuple[Judged | None, Tried, Judged | None]]:
    judged = [None, *(item.judged for item in tried), None]
    return zip(judged, tried, judged[2:], strict=False)


def _fleet(place: Bench) -> Any:  # noqa: ANN401 - a Fleet
    if place.fleet is None:
        raise ExploreError(
            "A crash sweep needs workers, and no lab is open here.",
            attempt='lab = Lab("01_duplicates") first',
        )
    return place.fleet


def _world(place: Bench) -> Callable[[], World]:
    if place.world is None:
        raise ExploreError(
            "A crash sweep needs world=, which returns what an outcome is judged by.",
            attempt="world=lambda: {'charges': len(lab.gateway.charges())}",
        )
    return place.world


def _modules(place: Bench, target: object) -> list[str]:
    """Where the workers find the tasks."""
    found = set(place.include)
    module = getattr(getattr(target, "type", target), "__module__", "")
    if hasattr(target, "apply_async"):
        found.add(module)
    return sorted(found)


def _target(
    target: Any,  # noqa: ANN401 - whatever was passed
    args: tuple[object, ...],
    victims: Victims,
    folder: Path,
    left: Callable[[], object] | None,
) -> tuple[Target, str]:
    """What is run, and how it is called."""
    signed = isinstance(target, dict)
    copy = Copy.of((target, *args) if args and not signed else target)
    if not copy.task:
        return Call(copy, victims, folder, left), copy.text
    signature = target if signed else target.s(*args)
    return Message(signature, victims, folder), copy.text


def _source(file: str, line: int) -> str:
    linecache.checkcache(file)
    return linecache.getline(file, line)
