"""What fails, or kills, is kept; and what is kept is replayed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.explore.sweep import Sweep
    from tests.recipes.conftest import Drill, Rig

pytestmark = pytest.mark.live
LETTER = """
INSERT INTO dead_letter (key, message, task, args, kwargs, error)
VALUES ('m-1', 'm-1', 'ship', '[1]', '{}', 'down')
"""


def killed(rig: Rig, recipe: str, deaths: int, world: str, **how: object) -> Sweep:
    """The first so many attempts die at the same point."""
    attempt = tuple(range(1, deaths + 1))
    return rig.sweep(recipe, "ship", 1, world=world, attempt=attempt, **how)


def replayed(drill: Drill, recipe: str) -> Iterator[tuple[str, dict[str, int]]]:
    """A replay dies at each point, the next one begins; and what is left."""

    def letter() -> None:
        drill.begin()
        drill.rows(LETTER)
        drill.rows("INSERT INTO begun (key, times) VALUES ('m-1', 3)")

    for point in drill.deaths(recipe, "again", letter):
        drill.again(recipe, "again")
        waiting = drill.count("dead_letter", "replayed_at IS NULL")
        found = {"messages": drill.redis.llen("celery"), "waiting": waiting}
        yield point, found | {"deaths": drill.count("begun")}


def test_a_death_or_two_leave_no_trace(rig: Rig) -> None:
    found = killed(rig, "dead_letter", 2, "settled")
    assert found.ok, found
    assert found.expected == {"done": 1, "waiting": 0, "letters": 0}


def test_what_kills_three_times_is_kept_wherever_it_does(rig: Rig) -> None:
    found = killed(rig, "dead_letter", 3, "accounted")
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


def test_a_replay_loses_none_wherever_it_dies(drill: Drill) -> None:
    found = list(replayed(drill, "dead_letter"))
    settled = [{"messages": n, "waiting": 0, "deaths": 0} for n in (1, 2)]
    assert [(point, left) for point, left in found if left not in settled] == []
    head = json.loads(drill.redis.lindex("celery", 0))["headers"]
    assert (head["task"], head["id"], head["argsrepr"]) == ("ship", "m-1", "[1]")


def test_a_replay_that_marks_first_is_found_out(drill: Drill) -> None:
    found = replayed(drill, "dead_letter_marks_before_it_sends")
    assert any(not (left["messages"] or left["waiting"]) for _, left in found)
