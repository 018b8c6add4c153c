"""Waiting until nothing is left to do, beside a worker that never answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from atleastonce.workers import quiet
from atleastonce.workers.broker import Backlog

if TYPE_CHECKING:
    from atleastonce.workers.fleet import Fleet


class Board:
    """Of a worker that a fault has frozen, main process and all."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def ask(self, _: set[str], timeout: float) -> dict[str, dict[str, Any]]:
        self.asked.append(timeout)
        return {}


def test_who_waits_for_a_fault_is_not_held_up_by_what_it_has_frozen() -> None:
    """Asking took all of the patience, though the fault had struck meanwhile."""
    board = Board()
    broker = SimpleNamespace(backlog=lambda: Backlog({}, 1))
    workers = [SimpleNamespace(name="w1", alive=True)]
    fleet = SimpleNamespace(broker=broker, workers=workers, board=board)
    quiet.wait(
        cast("Fleet", fleet), 10.0, abandoned=False, unless=lambda: len(board.asked)
    )
    assert board.asked == [quiet.GLANCE]
