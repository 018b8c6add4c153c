"""The strikes of the capstone, each on a task that fares as it should."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.gauntlet import DEATHS, Gauntlet
from atleastonce.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

TASKS = """
import os
import signal

import redis
from django.conf import settings
from kombu.transport.redis import Channel

from atleastonce.shop import payments

left = redis.Redis.from_url(settings.REDIS_URL)


@app.task
def charge(order=1):
    payments.charge("ann", "30.00", key=f"order-{order}", timeout=60)


@app.task
def twice(order=1):
    payments.charge("ann", "30.00")


@app.task(max_retries=3, default_retry_delay=0)
def poison():
    if left.decr("left") >= 0:
        os.kill(os.getpid(), signal.SIGKILL)


kept = []


@app.task
def leak(mib):
    kept.append(b"x" * mib * 2**20)
    return os.getpid()


@app.task
def locked():
    return Channel.unacked_mutex_expire


@app.task
def waits():
    left.blpop("never", timeout=60)
"""
LATE = {"task_acks_late": True, "task_reject_on_worker_lost": True}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab("gauntlet") as opened:
        opened.load_tasks("struck", TASKS)
        yield opened


@pytest.fixture
def tasks() -> Any:  # noqa: ANN401 - the module of the tasks
    return import_module("struck")


@pytest.fixture
def safe(lab: Lab) -> Gauntlet:
    world = lambda: {"charges": len(lab.gateway.charges())}  # noqa: E731 - as a notebook has it
    return Gauntlet(lab, LATE, setup=lambda: None, world=world)


def test_a_death_is_bad_where_work_is_done_twice(safe: Gauntlet, tasks: Any) -> None:  # noqa: ANN401
    assert safe.killed(tasks.charge).startswith("bad at 0 of ")
    assert not safe.killed(tasks.twice).startswith("bad at 0 of ")


def test_poison_is_bounded_by_what_counts(safe: Gauntlet, tasks: Any) -> None:  # noqa: ANN401
    assert safe.poisoned(tasks.poison) == f"{DEATHS + 1} attempts"
    counted = safe.poisoned(tasks.poison, task_retry_on_worker_lost=True)
    assert counted == "4 attempts"


def test_a_leak_is_bounded_by_a_limit(safe: Gauntlet, tasks: Any) -> None:  # noqa: ANN401
    assert safe.leaked(tasks.leak.s(40), 4) == "4 of 4 in one process"
    assert safe.leaked(tasks.leak.s(40), 4, above=60) == "2 of 4 in one process"


def test_a_queue_survives_redis_with_a_file_only(safe: Gauntlet, tasks: Any) -> None:  # noqa: ANN401
    assert safe.crashed(tasks.charge) == "0 of 20 messages left"
    kept = safe.crashed(tasks.charge, appendonly="yes")
    assert kept == "20 of 20 messages left"


def test_an_owner_s_death_is_noticed_after_the_timeout(
    safe: Gauntlet,
    tasks: Any,  # noqa: ANN401
) -> None:
    soon = {"unacked_restore_interval": 0.3, "unacked_restore_throttle": 1}
    assert safe.widowed(tasks.charge, 1) == "1 unacked"
    found = safe.widowed(tasks.charge, 1, visibility_timeout=1.5, **soon)
    assert found == "0 unacked"


def test_a_lock_that_a_dead_worker_left_is_soon_free(lab: Lab, tasks: Any) -> None:  # noqa: ANN401
    lab.reset()
    lab.worker()
    # Of the main process, which forked the one that answers.
    assert tasks.locked.delay().get(timeout=15) == 1


def test_ends_and_backlogs_are_told_in_words(safe: Gauntlet, tasks: Any) -> None:  # noqa: ANN401
    assert safe.ended(tasks.charge.s(1)) == "SUCCESS, 0 kept"
    told = safe.watched(tasks.waits, line="LLEN")
    assert told == ("says 1", "LLEN", "says 9 + 1")


def test_the_rows_keep_their_order(safe: Gauntlet) -> None:
    safe.row("b", "lost", "a line", "kept")
    safe.row("a", "kept")
    assert list(safe.strikes) == ["b", "a"]
    assert safe.strikes["b"]["the line that mends it"] == "a line"
