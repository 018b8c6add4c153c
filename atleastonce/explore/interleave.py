"""``interleave(a, b)``: every schedule of two copies, judged by its world."""

from __future__ import annotations

import linecache
import time
from typing import TYPE_CHECKING, Any, Literal

from atleastonce.errors import ExploreError
from atleastonce.explore import bench
from atleastonce.explore.bench import Bench
from atleastonce.explore.columns import rows
from atleastonce.explore.copies import Copy
from atleastonce.explore.progress import Progress
from atleastonce.explore.result import Interleavings
from atleastonce.explore.schedule import Limits
from atleastonce.explore.search import UNSTEADY, Search
from atleastonce.explore.stage import Stage
from atleastonce.explore.tally import Tally
from atleastonce.waiting import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.explore.steps import Schedule, World
    from atleastonce.settings import Addresses

#: More copies than these have too many schedules to be explored.
MOST_COPIES = 3


def interleave(  # noqa: PLR0913 - every option is a keyword with a default
    *copies: object,
    world: Callable[[], dict[Any, Any]],
    setup: Callable[[], object] | None = None,
    reset: Callable[[], object] | None = None,
    claim: Callable[[dict[Any, Any]], object] | None = None,
    grain: Literal["effect", "line"] = "effect",
    max_schedules: int = 2000,
    deadline: float = 60.0,
    max_steps: int = 500,
    patience: float = 30.0,
    addresses: Addresses | None = None,
    project: str = "atleastonce.shop",
) -> Interleavings:
    """Run every schedule of *copies*, two or three, on real connections and processes.

    A copy stops before each SQL statement, COMMIT, ROLLBACK, Redis command, HTTP
    request and mail, in whatever module it happens, also in a thread (whose order among
    the threads of its copy is not explored). ``time.sleep`` takes no time; a loop that
    sleeps waits until another copy has moved.

    Args:
        copies: a signature (``deposit.s(1, 10)``), a partial, a tuple
            ``(f, *args)`` or a callable; other processes must be able to import it.
        world: returns the counts and values that an outcome is judged by.
        setup: makes the start; called once. Postgres and Redis are put back to it
            before every schedule, and at the end.
        reset: called before every schedule, for what lies outside of the two.
        claim: what must hold of a world: returns something true, and raises no
            AssertionError. Without one, a world must be one that running the copies
            one after the other leads to.
        grain: ``"line"`` stops before each line of the learner's file too.
        max_schedules: explore no more than these.
        deadline: seconds after which no schedule is begun.
        max_steps: steps of one schedule from which on it counts as endless.
        patience: seconds until a copy must have come to its next point.
        addresses: the lab; default: the one that is open,
            or that this process belongs to.
        project: the module whose ``setup()`` makes Django ready.

    Raises:
        ExploreError: the search can't be believed: the copies are not deterministic,
            someone else changes the world, a copy dies or never ends.
        SettingsError: this process belongs to no lab.
    """
    called = [Copy.of(copy) for copy in copies]
    if not 2 <= len(called) <= MOST_COPIES:  # noqa: PLR2004 - one copy has one schedule
        raise ExploreError(f"interleave takes two or three copies, not {len(called)}.")
    if setup:
        setup()
    with Stage(
        called,
        Bench(addresses) if addresses else bench.current(),
        world=world,
        reset=reset,
        limits=Limits(max_steps, patience),
        project=project,
        lines=grain == "line",
    ) as stage:
        search = Exploration(stage, claim)
        search.explore(max_schedules, Deadline(deadline))
    return search.result(tuple(copy.text for copy in called), grain)


class Exploration:
    """The serial yardstick, then all schedules, within a budget."""

    def __init__(
        self, stage: Stage, claim: Callable[[dict[Any, Any]], object] | None
    ) -> None:
        self._stage, self._claim = stage, claim
        self._began = time.monotonic()
        self._unexplored = ""
        # The first round warms caches, connections and scripts; the second counts.
        stage.serial()
        self._serial = [schedule.world for schedule in stage.serial()]
        self._tally = Tally(self._holds)
        self._search = Search(stage.play)

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
        if self._tally.schedules >= most:
            self._unexplored = f"max_schedules={most} was reached"
        elif deadline.expired:
            self._unexplored = f"deadline={deadline.timeout:g} s was reached"
        if self._unexplored:
            done = self._search.level - 1
            self._unexplored += f", with at least {left} schedules to go; "
            self._unexplored += (
                f"all with at most {done} switches that are free were run"
            )
        return bool(self._unexplored)

    def _confirm(self, schedule: Schedule) -> None:
        """A world that is seen for the first time is seen twice, or it is no fact."""
        if schedule.raced is not None or self._tally.knows(schedule.world):
            return
        again = self._search.again(schedule.order, schedule)
        if again.world != schedule.world:
            raise ExploreError(
                "One schedule led to two worlds: someone else changes the world, or "
                "the copies are not deterministic.",
                seen=f"{dict(schedule.world)}, then {dict(again.world)}",
                attempt=UNSTEADY,
            )

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
            unexplored=self._unexplored,
            seconds=time.monotonic() - self._began,
            digest=tally.digest,
        )


def _source(file: str, line: int) -> str:
    linecache.checkcache(file)
    return linecache.getline(file, line)
