"""What fails, or kills, is kept; and what is kept is replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from atleastonce.explore.sweep import Sweep
    from tests.recipes.conftest import Rig

pytestmark = pytest.mark.live


def killed(rig: Rig, recipe: str, deaths: int, world: str, **how: object) -> Sweep:
    """The first so many attempts die at the same point."""
    attempt = tuple(range(1, deaths + 1))
    return rig.sweep(recipe, "ship", 1, world=world, attempt=attempt, **how)


def replayed(rig: Rig, recipe: str, **how: object) -> Sweep:
    how = {"setup": "letter", "left": "left", "world": "settled"} | how
    return rig.sweep(recipe, "again", **how)


def test_a_death_or_two_leave_no_trace(rig: Rig) -> None:
    found = killed(rig, "dead_letter", 2, "settled")
    assert found.ok, found
    assert found.expected == {"done": 1, "waiting": 0, "letters": 0}


def test_what_kills_three_times_is_kept_at_whichever_line(rig: Rig) -> None:
    found = killed(rig, "dead_letter", 3, "accounted", lines=True)
    assert found.ok, found
    assert found.expected == {"accounted": True}


@pytest.mark.parametrize(
    ("wrong", "done", "letters"), [("", 0, 1), ("_counts_nobody", 1, 0)]
)
def test_a_message_that_kills_stops_and_is_kept(
    rig: Rig, wrong: str, done: int, letters: int
) -> None:
    how = {"setup": "kills", "world": "settled"}
    found = rig.sweep(f"dead_letter{wrong}", "send_killing", **how)
    kept = {"done": done, "waiting": letters, "letters": letters}
    assert found.expected == kept, found


@pytest.mark.parametrize(("wrong", "letters"), [("", 1), ("_keeps_no_error", 0)])
def test_what_fails_is_kept(rig: Rig, wrong: str, letters: int) -> None:
    found = rig.sweep(f"dead_letter{wrong}", "send_failing", world="settled")
    kept = {"done": 0, "waiting": letters, "letters": letters}
    assert found.expected == kept, found


def test_a_replay_loses_none_wherever_it_dies(rig: Rig) -> None:
    found = replayed(rig, "dead_letter")
    assert found.ok, found
    assert found.expected == {"done": 1, "waiting": 0, "letters": 1}


def test_a_replay_that_marks_first_is_found_out(rig: Rig) -> None:
    found = replayed(rig, "dead_letter_marks_before_it_sends")
    assert found.outcomes["lost"], found
