"""Two worlds, and what became of the work between them."""

from decimal import Decimal

import pytest

from atleastonce.explore.outcomes import Judged, judge


def judged(now: object, wanted: object, before: object) -> str:
    world, expected, start = ({"it": value} for value in (now, wanted, before))
    return judge(world, expected, start).outcome


@pytest.mark.parametrize(
    ("now", "wanted", "before", "outcome"),
    [
        (1, 1, 0, "ok"),
        (2, 1, 0, "duplicate"),
        (0, 1, 0, "lost"),
        # A balance goes down: less than expected is twice, not lost.
        (Decimal(40), Decimal(70), Decimal(100), "duplicate"),
        (Decimal(100), Decimal(70), Decimal(100), "lost"),
        (Decimal(130), Decimal(70), Decimal(100), "wrong"),
        # Half of the work is not all of it.
        (15, 30, 0, "lost"),
        # A count that should not have moved.
        (1, 0, 0, "wrong"),
        (None, 1, 0, "lost"),
        (True, True, False, "ok"),
        (False, True, False, "lost"),
        (True, False, False, "wrong"),
        ("new", "paid", "new", "lost"),
        ("refused", "paid", "new", "wrong"),
        (["a"], ["a"], [], "ok"),
        (["a", "a"], ["a"], [], "duplicate"),
        ([], ["a"], [], "lost"),
        (["b"], ["a"], [], "wrong"),
        (["a", "b"], ["a"], [], "wrong"),
        ({"ann": 2}, {"ann": 1}, {"ann": 0}, "duplicate"),
        ({}, {"ann": 1}, {}, "lost"),
    ],
)
def test_the_way_from_the_start_tells_what_a_difference_is(
    now: object, wanted: object, before: object, outcome: str
) -> None:
    assert judged(now, wanted, before) == outcome


def test_evidence_names_every_difference_and_the_worst_decides() -> None:
    found = judge({"charges": 2, "mails": 0}, {"charges": 1, "mails": 1}, {})
    assert found == Judged("duplicate", "charges 2, not 1; mails 0, not 1")


def test_more_of_what_waits_for_nobody_is_stuck() -> None:
    start = {"paid": 0, "in progress": 0}
    expected, world = start | {"paid": 1}, start | {"in progress": 1}
    assert judge(world, expected, start).outcome == "lost"
    found = judge(world, expected, start, ["in progress"])
    assert found == Judged("stuck", "paid 0, not 1; in progress 1, not 0")


def test_a_name_inside_another_is_shown_with_it() -> None:
    found = judge({"balance": {"ann": 1}}, {"balance": {"ann": 2}}, {})
    assert found.evidence == "balance.ann 1, not 2"


def test_a_name_that_is_gone_is_missing() -> None:
    assert judge({}, {"paid": 1}, {"paid": 0}).evidence == "paid missing, not 1"
