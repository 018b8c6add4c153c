"""A Celery task of the recipe counts once; three that are nearly it do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from atleastonce.explore.result import Interleavings
    from atleastonce.explore.sweep import Sweep
    from tests.recipes.conftest import Rig

pytestmark = pytest.mark.live
ONCE = {"charges": 1, "booked": 1}


def swept(rig: Rig, recipe: str, **how: object) -> Sweep:
    found = rig.sweep(recipe, "charge", 1, world="charged", **how)
    assert found.expected == ONCE, found
    return found


def searched(rig: Rig, recipe: str, **how: object) -> Interleavings:
    calls = [("charge", 1)] * 2
    how = {"world": "charged", "claim": "checks:once"} | how
    return rig.search(recipe, *calls, **how)


def test_it_counts_once_at_whichever_line_its_process_dies(rig: Rig) -> None:
    found = swept(rig, "celery_idempotent", lines=True)
    assert found.ok, found


def test_it_counts_once_though_its_whole_worker_dies(rig: Rig) -> None:
    found = swept(rig, "celery_idempotent", kill="worker")
    assert found.ok, found


@pytest.mark.parametrize("wrong", ["marks_first", "acks_first", "never_marks"])
def test_a_wrong_one_is_found_out(rig: Rig, wrong: str) -> None:
    found = swept(rig, f"celery_idempotent_{wrong}")
    lie = "duplicate" if wrong == "never_marks" else "lost"
    assert found.outcomes[lie], found


def test_two_copies_count_once_in_whatever_order_they_take_turns(rig: Rig) -> None:
    found = searched(rig, "celery_idempotent")
    assert found.ok, found
    assert found.waited, found


def test_two_copies_that_do_not_mark_are_found_out(rig: Rig) -> None:
    found = searched(rig, "celery_idempotent_never_marks", max_schedules=10)
    assert found.verdict == "fail", found
