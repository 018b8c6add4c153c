"""Lesson 6 for real: the kernel's out-of-memory kill, in both of its shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Stack

pytestmark = pytest.mark.xdist_group("services")

WORKERS = ("oom-prefork", "oom-solo")
#: Publishes leaks of 20 MiB to a queue, until a task is lost or has no answer.
LEAK = """
from celery.exceptions import TimeoutError
from billiard.exceptions import WorkerLostError
from atleastonce.shop.leak import leak
kept = 0
try:
    while kept < 400:
        kept = leak.apply_async((20,), queue="{queue}").get(timeout={patience})
except (WorkerLostError, TimeoutError) as error:
    print(kept, type(error).__name__, error)
"""
#: How often the kernel has killed there: cgroup v1 and v2 each have a file for it.
KILLS = """
from pathlib import Path
places = ("memory/memory.oom_control", "memory.events")
for path in (Path("/sys/fs/cgroup", place) for place in places):
    if path.exists():
        lines = path.read_text().splitlines()
        print(*[line.split()[1] for line in lines if line.startswith("oom_kill ")])
"""


@pytest.fixture(scope="module", autouse=True)
def workers(stack: Stack) -> Iterator[None]:
    """Two workers with 160 MiB each, ready."""
    stack.compose("up", "-d", *WORKERS)
    wait_until(
        lambda: stack.compose("logs", *WORKERS).count(" ready.") == len(WORKERS),
        timeout=120,
        what="both to be ready",
        seen=lambda: stack.compose("logs", *WORKERS),
        interval=0.5,
    )
    yield
    stack.compose("rm", "-sf", *WORKERS)


def leaked(stack: Stack, worker: str, patience: int) -> str:
    lab = "ATLEASTONCE_LAB_FILE=/compose/secrets/lab.json"
    script = LEAK.format(queue=worker, patience=patience)
    run = ("exec", "-T", "-e", lab, "course", "python", "-c", script)
    return stack.compose(*run).strip()


def test_a_pool_process_is_killed_and_its_container_lives(stack: Stack) -> None:
    worker = "oom-prefork"
    said = leaked(stack, worker, patience=60)
    assert "WorkerLostError" in said
    assert "signal 9 (SIGKILL)" in said
    kills = stack.compose("exec", "-T", worker, "python", "-c", KILLS)
    assert int(kills) >= 1
    assert stack.inspect(worker)["State"]["Running"]


def test_process_1_is_killed_and_its_container_ends(stack: Stack) -> None:
    worker = "oom-solo"
    # Nobody is left who could tell of the task: the caller waits for its answer.
    assert "TimeoutError" in leaked(stack, worker, patience=5)
    state = stack.inspect(worker)["State"]
    seen = (state["Status"], state["ExitCode"], state["OOMKilled"])
    assert seen == ("exited", 137, True)
