"""The runs of one sweep: undisturbed twice, once per point, undisturbed again."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atleastonce.errors import ExploreError
from atleastonce.explore import sweep_points
from atleastonce.explore.outcomes import STUCK, Judged, judge
from atleastonce.explore.progress import Progress
from atleastonce.explore.sweep import Sweep
from atleastonce.explore.sweep_table import Row, picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atleastonce.explore.planted import Planted
    from atleastonce.explore.sweep_run import Bed, Run
    from atleastonce.workers.points import Point


@dataclass
class Tried:
    """One point, the run that struck it, and what became of the work."""

    point: Point
    run: Run
    judged: Judged


class Series:
    """All runs of one sweep.

    Args:
        bed: where they are run.
        fault: what strikes at each point.
        stuck: see ``outcomes.judge``.
    """

    def __init__(self, bed: Bed, fault: Planted, stuck: Sequence[str]) -> None:
        self._bed, self._fault, self._stuck = bed, fault, stuck
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
        # Where every world was the undisturbed one, one more says nothing new.
        bad = self._problems or any(tried.judged.evidence for tried in self._tried)
        if bad and (difference := self._differs(self._bed.run())):
            self._problems.append(
                f"an undisturbed run at the end differs: {difference}."
            )

    def _undisturbed(self) -> Run:
        """The yardstick; run twice, because a yardstick must not change.

        Raises:
            ExploreError: it does, or it never ends.
        """
        self._dry, again = self._pair()
        if self._differs(again) and again.world == self._dry.world:
            # A cache, perhaps: the same process need not ask a second time.
            self._bed.fresh = True
            self._dry, again = self._pair()
        if difference := self._differs(again):
            raise ExploreError(
                "Two undisturbed runs differ: the target is not deterministic, or "
                "someone else changes the world.",
                seen=difference,
                attempt="let world() return counts and sums, and nothing of a clock",
            )
        return self._dry

    def _pair(self) -> tuple[Run, Run]:
        runs = self._bed.run(), self._bed.run()
        for run in runs:
            self._must_end(run)
            if run.strangers:
                raise ExploreError(
                    "Someone else was at work in an undisturbed run.",
                    seen=run.strangers,
                    attempt="end what else uses this lab",
                )
        return runs

    def _must_end(self, run: Run) -> None:
        if run.endless:
            raise ExploreError(
                f"Without any fault the target does not come to an end. {run.endless}",
                seen=f"{len(run.points)} attempts, the last at {run.last}",
                attempt="run it once by hand, or give a longer timeout=",
            )
        if run.failed:
            raise ExploreError(
                f"Without any fault the target fails: {run.failed}.",
                seen=run.log,
                attempt="run it once by hand, from the start that setup() makes",
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
        first = self._fault.attempts[0]
        if len(self._dry.points) < first:
            raise ExploreError(
                f"There is no attempt {first}: an undisturbed run has "
                f"{len(self._dry.points)}.",
                attempt="attempt=1, or attempt=(1, 2) to strike again after a restart",
            )
        points, fault = self._dry.points[first - 1], self._fault
        found = sweep_points.chosen(points, fault.action, lines=fault.lines)
        if not found:
            raise ExploreError(
                f"The target has no point at which {self._fault.action!r} can strike.",
                seen=f"{len(points)} points",
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
        at = sweep_points.place(point, self._dry.points[self._fault.attempts[0] - 1])
        return self._bed.run(self._fault.strikes(at, sweep_points.said(point)))

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
        """What only one row shows is seen twice, or it is no fact, and no row."""
        for before, tried, after in list(_neighbours(self._tried)):
            if tried.judged in (before, after) or not tried.judged.evidence:
                continue
            run = self._struck(tried.point)
            again = self._judge(run)
            # What spins for ever is not seen at the same place each time.
            same = again == tried.judged or (run.endless and tried.run.endless)
            if not same and not self._unusable(tried.point, run):
                where = sweep_points.said(tried.point)
                self._tried.remove(tried)
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
            fault=self._fault.text,
            rows=tuple(rows),
            expected=self._dry.world,
            start=self._start,
            problems=tuple(self._problems),
            lines=tuple(picture(rows, _source)),
            seconds=seconds,
        )


def _neighbours(
    tried: Sequence[Tried],
) -> Iterator[tuple[Judged | None, Tried, Judged | None]]:
    judged = [None, *(item.judged for item in tried), None]
    return zip(judged, tried, judged[2:], strict=False)


def _source(file: str, line: int) -> str:
    linecache.checkcache(file)
    return linecache.getline(file, line)
