"""A search within its budget: the yardstick first, then all schedules."""

from __future__ import annotations

import linecache
import time
from typing import TYPE_CHECKING, Any

from atleastonce.errors import ExploreError
from atleastonce.explore.columns import rows
from atleastonce.explore.progress import Progress
from atleastonce.explore.result import Interleavings
from atleastonce.explore.search import UNSTEADY, Search
from atleastonce.explore.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.explore.stage import Stage
    from atleastonce.explore.steps import Schedule, World
    from atleastonce.waiting import Deadline


class Exploration:
    """The serial yardstick, then all schedules, within a budget."""

    def __init__(
        self, stage: Stage, claim: Callable[[dict[Any, Any]], object] | None
    ) -> None:
        self._stage, self._claim = stage, claim
        self._began = time.monotonic()
        self._unexplored = ""
        self._tally = Tally(self._holds)
        self._search = Search(stage.play)
        self._serial: list[World] = []
        # What runs first warms caches, connections and scripts; it does not count.
        if claim is None:
            stage.serial()
            self._serial += [schedule.world for schedule in stage.serial()]
        else:
            self._search.again((), None)

    def _holds(self, world: World) -> bool:
        if self._claim is None:
            return world in self._serial
        try:
            return bool(self._claim(dict(world)))
        except AssertionError:
            return False

    def explore(self, most: int, deadline: Deadline) -> None:
        """Run schedules until all, *most* of them, or *deadline*."""
        with Progress() as progress:
            for schedule in self._search:
                self._confirm(schedule)
                self._tally.add(schedule)
                progress.show(
                    f"{self._tally.schedules} schedules, {self._tally.broken} broken, "
                    f"{self._search.open} to go or more"
                )
                if self._stopped(most, deadline):
                    break
        if self._tally.schedules and self._tally.all_raised:
            raise ExploreError(
                "Every copy raised in every schedule: nothing was explored.",
                seen=", ".join(self._tally.raised),
                attempt="run one copy alone first",
            )

    def _stopped(self, most: int, deadline: Deadline) -> bool:
        left = self._search.open
        if not left:
            return False
        if self._tally.schedules + self._tally.endless.total() >= most:
            self._unexplored = f"max_schedules={most} was reached"
        elif deadline.expired:
            self._unexplored = f"deadline={deadline.timeout:g} s was reached"
        if self._unexplored:
            self._unexplored += f", with at least {left} schedules to go"
        if self._unexplored and self._search.level and not self._tally.endless:
            self._unexplored += f"; all with fewer than {self._search.level} free "
            self._unexplored += "switches were run"
        return bool(self._unexplored)

    def _confirm(self, schedule: Schedule) -> None:
        """A world that is seen for the first time is seen twice, or it is no fact."""
        cut = schedule.raced is not None or schedule.endless
        if cut or self._tally.knows(schedule.world):
            return
        again = self._search.again(schedule.order, schedule)
        if again.endless or again.world != schedule.world:
            raise ExploreError(
                "One schedule led to two worlds: someone else changes the world, or "
                "the copies are not deterministic.",
                seen=f"{dict(schedule.world)}, then {dict(again.world)}",
                attempt=UNSTEADY,
            )

    def _left_out(self) -> str:
        """What was not explored; a schedule without an end is no success."""
        cut = [
            f"in {n} {'schedule' if n == 1 else 'schedules'} the copies {why} (a loop "
            "that waits for something should wait with time.sleep)"
            for why, n in self._tally.endless.items()
        ]
        return "; ".join(filter(None, [self._unexplored, *cut]))

    def result(self, copies: tuple[str, ...], grain: str) -> Interleavings:
        """What was found."""
        tally = self._tally
        shortest = tally.shortest
        return Interleavings(
            copies=copies,
            grain=grain,
            schedules=tally.schedules,
            broken=tally.broken,
            waited=tally.waited,
            raised=dict(tally.raised),
            pruned=tally.pruned,
            serial=tuple(self._serial),
            worlds=tuple(tally.worlds),
            shortest=shortest,
            rows=tuple(rows(shortest, _source) if shortest else ()),
            unexplored=self._left_out(),
            seconds=time.monotonic() - self._began,
            digest=tally.digest,
            orders=tuple(tally.orders),
        )


def _source(file: str, line: int) -> str:
    linecache.checkcache(file)
    return linecache.getline(file, line)
