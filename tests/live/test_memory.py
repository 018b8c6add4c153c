"""Memory comes from the process table, and a whole worker can be killed at once."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from atleastonce.errors import WorkerError
from atleastonce.services import reaper as proc
from atleastonce.workers.memory import memory

if TYPE_CHECKING:
    from tests.live.conftest import Bench

MIB = 2**20
#: Holds a block, says so, and waits for its stdin to close.
HOLDER = "import sys; kept = bytearray(b'1') * (64 * 2**20); print(1, flush=True)"


def test_what_a_process_takes_is_seen_from_outside() -> None:
    def read(code: str) -> float:
        argv = [sys.executable, "-I", "-S", "-c", f"{code}; sys.stdin.read()"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(argv, **pipes) as process:  # type: ignore[call-overload]
            process.stdout.readline()
            return memory(process.pid).anonymous

    without = read("import sys; print(1, flush=True)")
    assert read(HOLDER) - without == pytest.approx(64, abs=4)


def test_what_was_given_back_stays_in_the_peak_alone() -> None:
    before = memory(os.getpid())
    with mmap.mmap(-1, 256 * MIB, flags=mmap.MAP_PRIVATE) as block:
        for page in range(0, 256 * MIB, 4096):
            block[page] = 1
        during = memory(os.getpid())
    after = memory(os.getpid())
    assert during.anonymous - before.anonymous == pytest.approx(256, abs=4)
    assert after.anonymous - before.anonymous < 4
    assert after.peak > during.rss - 4


def test_shared_pages_are_counted_once_over_all_who_share_them(bench: Bench) -> None:
    (worker,) = bench.start(concurrency=3)
    found = [memory(pid) for pid in (worker.pid, *worker.children())]
    assert sum(m.rss for m in found) > 1.5 * sum(m.anonymous for m in found)


def test_a_process_that_has_ended_has_no_memory_to_read() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    with pytest.raises(WorkerError, match="can't be read"):
        memory(process.pid)


def test_all_processes_of_a_worker_are_killed_at_once(bench: Bench) -> None:
    (worker,) = bench.start(concurrency=2)
    pids = [worker.pid, *worker.children()]
    worker.kill_all()
    assert not worker.alive
    assert worker.ending == "SIGKILL"
    assert [pid for pid in pids if proc.read_row(pid)] == []
    assert "killed with all its processes" in bench.story()
