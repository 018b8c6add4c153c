"""Every schedule, exactly once, by running prefixes again. Pure: the run is passed in.

After a prefix the copy that moved last goes on as long as it can; for every step that
was free, each other copy that could have moved gives a new prefix. Prefixes with few
switches come first, so the first schedule that breaks is about the shortest, and what
was explored when a budget ends can be said: all with fewer switches.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from atleastonce.errors import ExploreError
from atleastonce.explore.steps import Schedule, Step, switches

#: Plays one schedule; it calls what it is given to choose each step.
Play = Callable[[Callable[[Sequence[Step], Sequence[int]], int]], Schedule]
Prefix = tuple[int, ...]
#: Steps of an endless schedule after each of which another copy is let go on. More
#: rounds of a loop that tries in vain show nothing that fewer don't, as a rule.
TURNS = 50


class Search:
    """Iterate over all schedules of *play*; may be stopped at any moment."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._tie = count()
        self._todo: list[tuple[int, int, Prefix, Schedule | None]] = [(0, 0, (), None)]

    @property
    def open(self) -> int:
        """How many prefixes are known and not explored."""
        return len(self._todo)

    @property
    def level(self) -> int:
        """All schedules whose prefix has fewer switches than this were run."""
        return self._todo[0][0] if self._todo else 0

    def __iter__(self) -> Iterator[Schedule]:
        """Run the next schedule, until none is left.

        Raises:
            ExploreError: a step that was possible is not, when run again.
        """
        while self._todo:
            _, _, prefix, parent = heapq.heappop(self._todo)
            schedule = self.again(prefix, parent)
            self._branch(schedule, len(prefix))
            yield schedule

    def again(self, prefix: Prefix, parent: Schedule | None) -> Schedule:
        """Run *prefix* again, and then as far as it goes.

        Raises:
            ExploreError: it does not go as it did in *parent*.
        """
        schedule = self._play(_following(prefix))
        if parent:
            _compare(schedule, parent, len(prefix))
        return schedule

    def _branch(self, schedule: Schedule, start: int) -> None:
        end = len(schedule.steps) if schedule.raced is None else schedule.raced + 1
        if schedule.endless:
            end = min(end, start + TURNS)
        for k in range(start, end):
            step = schedule.steps[k]
            for other in step.enabled:
                if other != step.copy:
                    prefix = (*schedule.order[:k], other)
                    entry = (switches(prefix), next(self._tie), prefix, schedule)
                    heapq.heappush(self._todo, entry)


def _following(prefix: Prefix) -> Callable[[Sequence[Step], Sequence[int]], int]:
    def choose(steps: Sequence[Step], enabled: Sequence[int]) -> int:
        k = len(steps)
        if k >= len(prefix):
            last = steps[-1].copy if steps else -1
            return last if last in enabled else enabled[0]
        if prefix[k] not in enabled:
            raise ExploreError(
                f"Step {k + 1} of the replay was not possible: copy {prefix[k] + 1} "
                "could move there before, and now it can't.",
                seen=f"copies that can: {', '.join(str(i + 1) for i in enabled)}",
                attempt=UNSTEADY,
            )
        return prefix[k]

    return choose


UNSTEADY = (
    "take what differs between two runs (random numbers, the clock, a cache, someone "
    "else's writes) out of the copies"
)


def _compare(schedule: Schedule, parent: Schedule, length: int) -> None:
    steps, known = schedule.steps[:length], parent.steps[:length]
    if len(steps) != len(known):
        raise ExploreError(
            "The replay was over after another number of steps than before.",
            seen=f"{len(steps)} steps, and before that {len(known)} or more",
            attempt=UNSTEADY,
        )
    for k, (now, before) in enumerate(zip(steps, known, strict=True)):
        # The last step of a prefix is the other copy's: its place is new.
        moved = now.copy == before.copy
        if moved and now.place.key != before.place.key:
            raise ExploreError(
                f"Step {k + 1} of the replay was another one than before.",
                seen=f"{now.place.text or now.place.line}, and before that "
                f"{before.place.text or before.place.line}",
                attempt=UNSTEADY,
            )
