"""An RQ job of the recipe counts once, killed at each line, on real workers."""

from __future__ import annotations

import importlib
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest
import redis
from rq.registry import StartedJobRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.recipes.conftest import Drill

pytestmark = pytest.mark.live
DAY = 24 * 60 * 60.0
ONCE = {"booked": 1, "waiting": 0, "begun": 0}
#: A point, and the world after a SIGKILL there.
Seen = tuple[str, dict[str, int]]


def sent(drill: Drill, recipe: str, times: int = 1) -> None:
    """An empty world, and one job; or the same one again."""
    drill.begin()
    module = importlib.import_module(recipe)
    jobs = importlib.import_module(f"jobs_{recipe}")
    with redis.Redis.from_url(drill.env["REDIS_URL"]) as link:
        for _ in range(times):
            module.send(module.queue(link), jobs.book, 1)


def world(drill: Drill) -> dict[str, int]:
    """Bookings; and jobs that wait, are begun, or are given up."""
    link = drill.redis
    found = {"booked": drill.rows("SELECT count(*) FROM booked")[0][0]}
    found["waiting"] = link.llen("rq:queue:default")
    return found | {"begun": link.zcard("rq:wip:default")}


def swept(drill: Drill, recipe: str, *, worker: bool = False) -> Iterator[Seen]:
    """A SIGKILL at each point, and the world that is left."""
    work = drill.module.work
    sent(drill, recipe)
    for at, point in enumerate(drill.points(work, recipe)):
        sent(drill, recipe)
        strike = drill.strike(recipe, at, parent=worker)
        code = drill.ended(work, recipe, strike)
        assert (strike.folder / "struck").exists(), point
        assert code == (-signal.SIGKILL if worker else 0), point
        if worker:
            abandoned(drill, recipe)
            drill.ended(work, recipe, drill.strike(recipe))
        yield point, world(drill)


def abandoned(drill: Drill, recipe: str) -> None:
    """A day is over, and another worker cleans up, as each does every 10 minutes."""
    with redis.Redis.from_url(drill.env["REDIS_URL"]) as link:
        queue = importlib.import_module(recipe).queue(link)
        StartedJobRegistry(queue=queue).cleanup(timestamp=time.time() + DAY)


@pytest.mark.parametrize("worker", [False, True], ids=["job process", "worker"])
def test_a_job_counts_once_wherever_it_dies(drill: Drill, *, worker: bool) -> None:
    found = list(swept(drill, "rq_idempotent", worker=worker))
    assert len(found) > 5
    assert [(point, seen) for point, seen in found if seen != ONCE] == []


@pytest.mark.parametrize("wrong", ["marks_first", "never_again"])
def test_a_wrong_one_is_found_out(drill: Drill, wrong: str) -> None:
    found = swept(drill, f"rq_idempotent_{wrong}")
    assert any(not seen["booked"] for _, seen in found)


def test_two_copies_at_once_count_once(drill: Drill) -> None:
    recipe, work = "rq_idempotent", drill.module.work
    sent(drill, recipe)
    at = drill.at(drill.points(work, recipe), "db.execute(BOOK")
    sent(drill, recipe, times=2)
    strike = drill.strike(recipe, at, signal=signal.SIGSTOP)
    with drill.process(work, recipe, strike) as one:
        pid = drill.stopped(strike)
        with drill.process(work, recipe, drill.strike(recipe)) as two:
            drill.waits()
            os.kill(pid, signal.SIGCONT)
            assert [drill.join(one), drill.join(two)] == [0, 0]
    assert world(drill) == ONCE


def test_a_job_is_sent_as_json(drill: Drill) -> None:
    sent(drill, "rq_idempotent")
    (key,) = drill.redis.lrange("rq:queue:default", 0, -1)
    with redis.Redis.from_url(drill.env["REDIS_URL"]) as link:
        queue = importlib.import_module("rq_idempotent").queue(link)
        data = queue.fetch_job(key).data
    assert data.startswith(b'["jobs_rq_idempotent.book"')
