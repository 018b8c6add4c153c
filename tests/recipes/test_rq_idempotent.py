"""An RQ job of the recipe counts once, killed at each line, on real workers."""

from __future__ import annotations

import importlib
import signal
import time
from typing import TYPE_CHECKING

import pytest
import redis
from rq.registry import StartedJobRegistry

if TYPE_CHECKING:
    from tests.recipes.conftest import Drill

pytestmark = pytest.mark.live
DAY = 24 * 60 * 60.0


def sent(drill: Drill, recipe: str) -> None:
    """An empty world, and one job."""
    drill.begin()
    module = importlib.import_module(recipe)
    with redis.Redis.from_url(drill.env["REDIS_URL"]) as link:
        jobs = importlib.import_module(f"jobs_{recipe}")
        module.send(module.queue(link), jobs.book, 1)


def world(drill: Drill) -> dict[str, int]:
    """Bookings; and jobs that wait, are begun, or are given up."""
    link = drill.redis
    found = {"booked": drill.rows("SELECT count(*) FROM booked")[0][0]}
    found["waiting"] = link.llen("rq:queue:default")
    return found | {"begun": link.zcard("rq:wip:default")}


def swept(
    drill: Drill, recipe: str, *, worker: bool = False
) -> dict[str, dict[str, int]]:
    """The world after a SIGKILL at each point, by point."""
    work, found = drill.module.work, {}
    sent(drill, recipe)
    for at, point in enumerate(drill.points(work, recipe)):
        sent(drill, recipe)
        strike = drill.strike(recipe, at, parent=worker)
        code = drill.ended(work, recipe, strike)
        assert (strike.folder / "struck").exists()
        assert code == (-signal.SIGKILL if worker else 0)
        if worker:
            abandoned(drill, recipe)
            drill.ended(work, recipe, drill.strike(recipe))
        found[f"{at} {point}"] = world(drill)
    return found


def abandoned(drill: Drill, recipe: str) -> None:
    """A day is over, and another worker cleans up, as each does every 10 minutes."""
    with redis.Redis.from_url(drill.env["REDIS_URL"]) as link:
        queue = importlib.import_module(recipe).queue(link)
        StartedJobRegistry(queue=queue).cleanup(timestamp=time.time() + DAY)


ONCE = {"booked": 1, "waiting": 0, "begun": 0}


@pytest.mark.parametrize("worker", [False, True], ids=["job process", "worker"])
def test_a_job_counts_once_wherever_it_dies(drill: Drill, *, worker: bool) -> None:
    found = swept(drill, "rq_idempotent", worker=worker)
    assert {point: seen for point, seen in found.items() if seen != ONCE} == {}


@pytest.mark.parametrize("wrong", ["marks_first", "never_again"])
def test_a_wrong_one_is_found_out(drill: Drill, wrong: str) -> None:
    found = swept(drill, f"rq_idempotent_{wrong}")
    lost = [point for point, seen in found.items() if not seen["booked"]]
    assert lost


def test_a_job_is_sent_as_json(drill: Drill) -> None:
    sent(drill, "rq_idempotent")
    (key,) = drill.redis.lrange("rq:queue:default", 0, -1)
    with redis.Redis.from_url(drill.env["REDIS_URL"]) as link:
        queue = importlib.import_module("rq_idempotent").queue(link)
        data = queue.fetch_job(key).data
    assert data.startswith(b'["jobs_rq_idempotent.book"')
