"""Counting schedules while they come in. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.explore.steps import Schedule, World

#: How many orders are kept: more lines than that are no picture.
ORDERS = 100


class Tally:
    """How many schedules there were, and which one breaks the claim first.

    Args:
        holds: says whether a world is fine.
    """

    def __init__(self, holds: Callable[[World], bool]) -> None:
        self._holds = holds
        self.schedules = self.broken = self.waited = self.pruned = 0
        self.raised: Counter[str] = Counter()
        self.endless: Counter[str] = Counter()
        self.worlds: list[tuple[World, int]] = []
        self.shortest: Schedule | None = None
        self.orders: list[tuple[tuple[int, ...], bool]] = []
        self.all_raised = True
        self._hash = hashlib.sha256()

    def add(self, schedule: Schedule) -> None:
        """Count one more."""
        if schedule.raced is not None:
            self.pruned += 1
            return
        if schedule.endless:
            self.endless[schedule.endless] += 1
            return
        self.schedules += 1
        self.waited += schedule.waits
        self.raised.update(error for error in schedule.errors if error)
        self.all_raised &= all(schedule.errors)
        self._count_world(schedule.world)
        self._digest(schedule)
        holds = self._holds(schedule.world)
        if len(self.orders) < ORDERS:
            self.orders.append((schedule.order, not holds))
        if not holds:
            self.broken += 1
            if self.shortest is None or schedule.size < self.shortest.size:
                self.shortest = schedule

    def knows(self, world: World) -> bool:
        """True if a schedule that was counted led there."""
        return any(world == known for known, _ in self.worlds)

    @property
    def digest(self) -> str:
        """A hash of all that was counted, in order."""
        return self._hash.hexdigest()[:16]

    def _count_world(self, world: World) -> None:
        for k, (known, count) in enumerate(self.worlds):
            if known == world:
                self.worlds[k] = (known, count + 1)
                return
        self.worlds.append((world, 1))

    def _digest(self, schedule: Schedule) -> None:
        steps = [
            (step.copy, step.enabled, step.place.kind, step.place.line, step.waiting)
            for step in schedule.steps
        ]
        line = repr((steps, dict(schedule.world), schedule.errors))
        self._hash.update(line.encode())
