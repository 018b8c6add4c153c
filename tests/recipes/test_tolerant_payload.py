"""Old payloads are brought up; what is newer is kept, and done by who knows it."""

from __future__ import annotations

import importlib
import json
from base64 import b64decode
from typing import TYPE_CHECKING

import psycopg
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recipes.tolerant_payload import Payload, Schema
    from tests.recipes.conftest import Drill, Rig

pytestmark = pytest.mark.live
NEWER = {"version": 3, "money": {"cents": 1999, "currency": "EUR"}, "n": "\0"}
FOREIGN = {"version": 3, "money": {"cents": 1999, "currency": "XTS"}}
RECIPE = "tolerant_payload"


def take(drill: Drill, recipe: str, *messages: tuple[str, Payload]) -> None:
    """Today's release, which knows two versions, gets messages: key and payload."""
    now = importlib.import_module(recipe).Schema(steps=[dict])
    with psycopg.connect(drill.env["DATABASE_URL"]) as db:
        for key, payload in messages:
            assert now.taken(db, key, "settle", payload) is None


def waiting(drill: Drill) -> int:
    """How many wait for a release that understands them."""
    return drill.count("parked", "unparked_at IS NULL")


def released(drill: Drill, recipe: str) -> Iterator[tuple[str, int, int]]:
    """The next release's unpark dies at each point, and begins again.

    Gives the point; the messages in the broker; and how many still wait.
    """

    def park() -> None:
        drill.begin()
        take(drill, recipe, ("m-1", NEWER), ("m-2", FOREIGN))

    # To read a payload changes nothing outside, and has most of the lines.
    for point in drill.deaths(recipe, "released", park, within="unpark"):
        drill.again(recipe, "released")
        yield point, drill.redis.llen("celery"), waiting(drill)


def test_what_is_newer_is_parked_wherever_its_process_dies(rig: Rig) -> None:
    found = rig.sweep(RECIPE, "settle", NEWER, world="parked")
    assert found.ok, found
    assert found.expected == {"done": 0, "waiting": 1}


def test_a_version_that_is_passed_over_is_found_out(drill: Drill) -> None:
    take(drill, f"{RECIPE}_drops_what_is_newer", ("m-1", NEWER))
    assert not waiting(drill)


def test_the_next_release_gets_it_wherever_unpark_dies(drill: Drill) -> None:
    found = list(released(drill, RECIPE))
    # The other one is for no release.
    assert [left for left in found if left[1] not in (1, 2) or left[2] != 1] == []
    message = json.loads(drill.redis.lindex("celery", 0))
    head, body = message["headers"], json.loads(b64decode(message["body"]))
    assert (head["task"], head["id"]) == ("settle", "m-1")
    assert body[0] == [NEWER]


def test_an_unpark_that_marks_first_is_found_out(drill: Drill) -> None:
    found = released(drill, f"{RECIPE}_marks_before_it_sends")
    assert any(not messages for _, messages, _ in found)


@pytest.mark.parametrize(("wrong", "waits"), [("", 1), ("_parks_once", 0)])
def test_what_an_old_worker_gets_again_waits_again(
    drill: Drill, wrong: str, waits: int
) -> None:
    recipe = f"{RECIPE}{wrong}"
    take(drill, recipe, ("m-1", NEWER))
    drill.again(recipe, "released")
    assert (drill.redis.llen("celery"), waiting(drill)) == (1, 0)
    take(drill, recipe, ("m-1", NEWER))
    assert waiting(drill) == waits


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
