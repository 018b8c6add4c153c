"""Old payloads are brought up; what is newer is kept, and done by who knows it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.explore.sweep import Sweep
    from recipes.tolerant_payload import Schema
    from tests.recipes.conftest import Rig

pytestmark = pytest.mark.live
NEWER = {"version": 3, "money": {"cents": 1999, "currency": "EUR"}}
RECIPE = "tolerant_payload"


def parked(rig: Rig, recipe: str, **how: object) -> Sweep:
    """A message of the next release, and workers of today's."""
    return rig.sweep(recipe, "settle", NEWER, world="parked", **how)


def unparked(rig: Rig, recipe: str, target: str, **how: object) -> Sweep:
    return rig.sweep(recipe, target, setup="park", world="parked", **how)


def test_what_is_newer_is_parked_wherever_its_process_dies(rig: Rig) -> None:
    found = parked(rig, RECIPE)
    assert found.ok, found
    assert found.expected == {"done": 0, "waiting": 1}


def test_a_version_that_is_passed_over_is_found_out(rig: Rig) -> None:
    found = parked(rig, f"{RECIPE}_drops_what_is_newer")
    assert found.expected == {"done": 0, "waiting": 0}, found


def test_the_next_release_does_it_wherever_unpark_dies(rig: Rig) -> None:
    found = unparked(rig, RECIPE, "released", left="left")
    assert found.ok, found
    assert found.expected == {"done": 1, "waiting": 1}  # the other: in no release


def test_an_unpark_that_marks_first_is_found_out(rig: Rig) -> None:
    wrong = f"{RECIPE}_marks_before_it_sends"
    found = unparked(rig, wrong, "released", left="left")
    assert found.outcomes["lost"], found


@pytest.mark.parametrize(("wrong", "waiting"), [("", 2), ("_parks_once", 1)])
def test_what_an_old_worker_gets_again_waits_again(
    rig: Rig, wrong: str, waiting: int
) -> None:
    found = unparked(rig, f"{RECIPE}{wrong}", "rolled_back")
    assert found.expected == {"done": 0, "waiting": waiting}, found


@pytest.fixture
def schema(project: Path) -> Schema:
    """A schema of three versions."""
    assert project
    module = importlib.import_module(RECIPE)
    found: Schema = module.Schema()
    found.step(lambda payload: payload | {"cents": int(payload["euros"]) * 100})
    found.step(lambda payload: payload | {"money": (payload["cents"], "EUR")})
    return found


def test_each_version_is_brought_up(schema: Schema) -> None:
    one = schema.read({"euros": "3"})
    assert one == {"version": 3, "euros": "3", "cents": 300, "money": (300, "EUR")}
    assert schema.read({"version": 2, "cents": 7})["money"] == (7, "EUR")
    assert schema.read({"version": 3, "money": 1, "x": 2})["x"] == 2


@pytest.mark.parametrize(
    "payload",
    [
        {"version": 4},
        {"version": 0},
        {"version": "3"},
        {"version": True},
        {"version": None},
        {"version": 2},
        {"euros": "three"},
    ],
)
def test_what_makes_no_sense_is_not_understood(
    schema: Schema, payload: dict[str, object]
) -> None:
    module = importlib.import_module(RECIPE)
    before = dict(payload)
    with pytest.raises(module.NotUnderstood):
        schema.read(payload)
    assert payload == before
