"""The plan survives its journey as JSON, and its places match what they say."""

from __future__ import annotations

import json

from atleastonce.workers.plan import At, Plan, Strike
from atleastonce.workers.points import Point


def test_a_plan_comes_out_of_its_header_as_it_went_in() -> None:
    strike = Strike("0", "kill", "worker", "killed", At(file="a.py", line=7, nth=2), 3)
    plan = Plan("/tmp/plan", ("a.py",), (strike,))  # noqa: S108 - never opened
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


POINT = Point(
    4, "http", "done", "charge", "POST /charges", "a.py", 7, "charge_order", 0
)


def test_what_a_place_leaves_out_matches_anything() -> None:
    assert At().matches(POINT)


def test_an_effect_is_matched_by_kind_or_name() -> None:
    assert At(effect="http").matches(POINT)
    assert At(effect="charge", moment="done").matches(POINT)
    assert not At(effect="mail").matches(POINT)


def test_every_part_of_a_place_must_match() -> None:
    assert At(number=4, file="a.py", line=7).matches(POINT)
    for other in (
        At(number=5),
        At(file="b.py"),
        At(line=8),
        At(moment="before"),
        At(left=6),
    ):
        assert not other.matches(POINT)
