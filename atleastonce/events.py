"""The event: one thing that happened, and what it is tied to. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    Two events that share a tie happened in the order in which they were recorded;
    all others are concurrent. A message is a tie by itself.

    Attributes:
        lane: who did it: ``producer``, ``broker``, a worker such as ``w1``, or an
            effect's side: ``gateway``, ``mail``, ``postgres``, ``redis``.
        kind: ``publish deliver start effect retry finish ack reject requeue``,
            ``fault restore ready exit barrier note``.
        text: what a reader sees; logical (no clock, pid, uuid, server version).
        message: the task id, or "" when it concerns no message.
        attempt: which execution of the message, from 1; 0 when none.
        ties: names of what else orders it: a barrier, a lock, an order.
        time: seconds on the machine's monotonic clock.
        data: anything else, small, JSON.
    """

    lane: str
    kind: str
    text: str = ""
    message: str = ""
    attempt: int = 0
    ties: tuple[str, ...] = ()
    time: float = 0.0
    data: dict[str, Any] = field(default_factory=dict)
