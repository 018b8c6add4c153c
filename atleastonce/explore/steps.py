"""A schedule: which copy made which step, and what the world looked like. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

World = Mapping[str, object] | Mapping[Any, Any]


@dataclass(frozen=True)
class Place:
    """Where a copy stands: about to run a line, or to cross an effect boundary.

    Attributes:
        kind: ``line``, or a boundary's: ``sql commit rollback redis http mail``.
        name: a boundary's name for people: ``insert``, ``set``, ``charge``.
        text: what the boundary does, on one line.
        file, line: the learner's line that is about to run or caused the boundary.
        function: the function that the line is in.
    """

    kind: str
    name: str = ""
    text: str = ""
    file: str = ""
    line: int = 0
    function: str = ""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What must be equal when a schedule is run again."""
        return self.kind, self.name, self.file, self.line


@dataclass(frozen=True)
class Step:
    """One move of one copy: from its place to the next point, or into a wait.

    Attributes:
        copy: which copy moved, from 0.
        enabled: which copies could have.
        place: where it stood.
        waiting: which copies wait for a lock after this step.
    """

    copy: int
    enabled: tuple[int, ...]
    place: Place
    waiting: tuple[int, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """One order in which the copies ran to their ends.

    Attributes:
        steps: what happened, in order.
        world: what it led to.
        errors: by copy, what it raised, such as ``OperationalError: deadlock
            detected``; "" for none.
        raced: the step after which two copies waited for one lock; which of the two
            goes first is the database's own choice, so it was not followed further.
        endless: why it was cut off, such as ``made 500 steps without an end``; its
            world was not looked at. "" if it ended.
    """

    steps: tuple[Step, ...]
    world: World
    errors: tuple[str, ...]
    raced: int | None = None
    endless: str = ""

    @property
    def order(self) -> tuple[int, ...]:
        """Which copy made each step."""
        return tuple(step.copy for step in self.steps)

    @property
    def switches(self) -> int:
        """How often another copy went on."""
        return switches(self.order)

    @property
    def waits(self) -> bool:
        """True if some copy had to wait for a lock."""
        return any(step.waiting for step in self.steps)

    @property
    def size(self) -> tuple[int, int, tuple[int, ...]]:
        """Orders schedules: fewest switches first, then shortest."""
        return self.switches, len(self.steps), self.order

    def to_dict(self) -> dict[str, Any]:
        """For machines; the world's keys and values as text."""
        return {
            "steps": [asdict(step) for step in self.steps],
            "world": {str(k): str(v) for k, v in self.world.items()},
            "errors": list(self.errors),
        }


def switches(order: tuple[int, ...]) -> int:
    """How often the next step is made by another copy."""
    return sum(a != b for a, b in pairwise(order))
