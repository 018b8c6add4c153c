"""What the search knows of each copy while one schedule runs. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from atleastonce.explore.steps import Place


class Stage(Enum):
    """What a copy is doing."""

    IDLE = "is not started"
    RUNNING = "runs"
    PARKED = "stands before a point"
    ASLEEP = "sleeps until another copy moves"
    WAITING = "waits for a lock"
    DONE = "has ended"


@dataclass
class Actor:
    """One copy within one schedule.

    Attributes:
        naps: where it slept since another copy last moved.
        nap: seconds of the sleep it asked for.
        woken: another copy moved since it fell asleep.
    """

    stage: Stage = Stage.IDLE
    place: Place = field(default_factory=lambda: Place(""))
    error: str = ""
    naps: set[tuple[str, int]] = field(default_factory=set)
    nap: float = 0.0
    woken: bool = False


@dataclass(frozen=True)
class Limits:
    """What one schedule may take.

    Attributes:
        steps: how many steps until the target counts as endless.
        patience: seconds until a copy must have come to its next point, and that the
            copies may sleep in one schedule while nobody can move.
    """

    steps: int = 500
    patience: float = 30.0
