"""``interleave(a, b)``: every schedule of two copies, judged by its world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from atleastonce.errors import ExploreError
from atleastonce.explore import bench
from atleastonce.explore.actors import Limits
from atleastonce.explore.copies import Copy
from atleastonce.explore.exploration import Exploration
from atleastonce.explore.stage import Stage
from atleastonce.waiting import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.explore.bench import Bench
    from atleastonce.explore.result import Interleavings


#: More copies than these have too many schedules to be explored.
MOST_COPIES = 3


def interleave(  # noqa: PLR0913 - every option is a keyword with a default
    *copies: object,
    world: Callable[[], dict[Any, Any]] | None = None,
    setup: Callable[[], object] | None = None,
    reset: Callable[[], object] | None = None,
    claim: Callable[[dict[Any, Any]], object] | None = None,
    grain: Literal["effect", "line"] = "effect",
    max_schedules: int = 2000,
    deadline: float = 60.0,
    max_steps: int = 500,
    patience: float = 30.0,
    on: Bench | None = None,
    project: str = "",
) -> Interleavings:
    """Run every schedule of *copies*, two or three, on real connections and processes.

    A copy stops before each SQL statement, COMMIT, ROLLBACK, Redis command, HTTP
    request and mail, in whatever module it happens, also in a thread (whose order among
    the threads of its copy is not explored). ``time.sleep`` takes no time; a loop that
    sleeps waits until another copy has moved.

    Args:
        copies: a signature (``deposit.s(1, 10)``), a partial, a tuple
            ``(f, *args)`` or a callable; other processes must be able to import it.
        world: returns the counts and values that an outcome is judged by; default: the
            open lab's.
        setup: makes the start; called once. Postgres and Redis are put back to it
            before every schedule and at the end, gateway and mailbox are emptied where
            a schedule used them.
        reset: called before every schedule, for what lies outside of these.
        claim: what must hold of a world: returns something true, and raises no
            AssertionError. Without one, a world must be one that running the copies
            one after the other leads to.
        grain: ``"line"`` stops before each line of the learner's file too.
        max_schedules: explore no more than these.
        deadline: seconds after which no schedule is begun.
        max_steps: steps of one schedule from which on it counts as endless: it is cut
            off there, and said, and the result is no success.
        patience: seconds until a copy must have come to its next point.
        on: where to work; default: the lab that is open, or that this process is of.
        project: the module whose ``setup()`` makes Django ready; default: as in the
            workers of the lab.

    Raises:
        ExploreError: the search can't be believed: the copies are not deterministic,
            someone else changes the world, a copy dies, or never ends when it is
            alone.
        SettingsError: this process belongs to no lab.
    """
    called = [Copy.of(copy) for copy in copies]
    if not 2 <= len(called) <= MOST_COPIES:  # noqa: PLR2004 - one copy has one schedule
        raise ExploreError(f"interleave takes two or three copies, not {len(called)}.")
    place = on or bench.current()
    if setup:
        setup()
    with Stage(
        called,
        place,
        world=world or _world(place),
        reset=reset,
        limits=Limits(max_steps, patience),
        project=project,
        lines=grain == "line",
    ) as stage:
        search = Exploration(stage, claim)
        search.explore(max_schedules, Deadline(deadline))
    return search.result(tuple(copy.text for copy in called), grain)


def _world(place: Bench) -> Callable[[], dict[Any, Any]]:
    if place.world is None:
        raise ExploreError(
            "interleave needs world=, which returns what an outcome is judged by.",
            attempt="world=lambda: {'balance': Account.objects.get(pk=1).balance}",
        )
    return place.world
