"""Strikes on delivery: the main process has the message, and no pool process has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atleastonce.workers import strikes
from atleastonce.workers.plan import DELIVERED, At
from atleastonce.workers.points import Point

if TYPE_CHECKING:
    from atleastonce.workers.plan import Plan


@dataclass
class Delivery:
    """One delivery of a message with a plan.

    Attributes:
        plan: of the message.
        message: its task id.
        attempt: 0: a delivery belongs to none.
    """

    plan: Plan
    message: str
    attempt: int = 0


def delivered(plan: Plan, message: str, begun: int) -> None:
    """Strike what waits for this delivery; called in the worker's main process.

    Args:
        plan: of the message.
        message: its task id.
        begun: how many of its attempts have begun: the next one is meant.
    """
    for strike in plan.strikes:
        here = strike.at == At(effect=DELIVERED)
        if here and strike.attempt in (0, begun + 1):
            strikes.fire(Delivery(plan, message), strike, Point(-1, DELIVERED), None)
