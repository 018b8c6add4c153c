"""One holder at a time; a dead one is replaced, and a frozen one can do no harm."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from atleastonce.explore.result import Interleavings
    from tests.recipes.conftest import Drill, Rig

pytestmark = pytest.mark.live


def overtaken(drill: Drill, recipe: str) -> list[tuple[Any, ...]]:
    """A holder stands still before it writes, another one writes, the first goes on."""
    hold, user = drill.module.hold, f"uses_{recipe}"
    points = drill.points(hold, recipe, user, "dry")
    drill.begin()
    at = drill.at(points, "found = f")
    strike = drill.strike(recipe, at, signal=signal.SIGSTOP)
    with drill.process(hold, user, "old", strike) as old:
        pid = drill.stopped(strike)
        over = "SELECT 1 FROM fenced_lock WHERE until < clock_timestamp()"
        wait_until(lambda: drill.rows(over), timeout=10.0, what="the lock to expire")
        drill.ended(hold, user, "new", drill.strike(recipe))
        os.kill(pid, signal.SIGCONT)
        drill.join(old)
    return drill.rows("SELECT body FROM report")


def turns(rig: Rig, recipe: str) -> Interleavings:
    """Two want the lock, and each writes down its token."""
    calls = [("take",)] * 2
    how = {"claim": "checks:tokens_grow", "max_schedules": 40}
    return rig.search(recipe, *calls, world="holders", **how)


def test_the_report_is_written_wherever_a_holder_dies(rig: Rig) -> None:
    found = rig.sweep("fenced_lock", "report", "new", world="report")
    assert found.ok, found


def test_of_two_one_has_it_and_tokens_grow(rig: Rig) -> None:
    found = turns(rig, "fenced_lock")
    assert not found.broken, found
    assert found.schedules > 10


def test_one_token_for_all_is_found_out(rig: Rig) -> None:
    found = turns(rig, "fenced_lock_gives_one_token")
    assert found.verdict == "fail", found


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("", "new, computed"),
        ("_asks_nobody", "old, computed"),
        ("_gives_one_token", "old, computed"),
        ("_never_ends", "old, computed"),
    ],
)
def test_a_frozen_holder_does_no_harm(drill: Drill, wrong: str, says: str) -> None:
    assert overtaken(drill, f"fenced_lock{wrong}") == [(says,)]
