"""What a grading leaves when it is stopped from outside, and what a run may see."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from atleastonce.grading import run, sandbox
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Grades a notebook whose only cell tells its kernel's pid and then hangs.
GRADER = """
import sys
import time
from pathlib import Path
from atleastonce.grading import run
code = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(100)"
cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": code}
cell |= {"outputs": [], "execution_count": None}
kernel = {"kernelspec": {"name": "python3", "display_name": "", "language": "python"}}
book = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
run.run(book, "hangs", limits=run.Limits())
"""
#: Makes a System V segment, as Postgres does, and tells its number.
SEGMENT = """
import ctypes, signal
number = ctypes.CDLL(None).shmget(0, 56, 0o1600)
open("number", "w").write(f"{number}.")
signal.pause()
"""


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """Where the grader makes its folders."""
    room = tmp_path / "room"
    room.mkdir()
    for folder in (room, *room.parents[:3]):
        folder.chmod(0o711)
    return room


@pytest.fixture
def grader(room: Path) -> Iterator[subprocess.Popen[bytes]]:
    """It grades; its cell is running."""
    env = os.environ | {"TMPDIR": str(room), "IN_THE_JOB": "secret"}
    with subprocess.Popen(
        [sys.executable, "-c", GRADER],
        env=env,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        wait_until(lambda: list(room.glob("*/pid")), timeout=30.0, what="the cell")
        yield process
        process.kill()


def test_a_run_finds_no_secret_in_the_processes_above_it(
    grader: subprocess.Popen[bytes],
) -> None:
    [above] = psutil.Process(grader.pid).children()
    family = (above, *above.children(recursive=True))
    assert "IN_THE_JOB" in psutil.Process(grader.pid).environ()
    assert not any("IN_THE_JOB" in process.environ() for process in family)


def gone(room: Path, family: list[psutil.Process]) -> bool:
    return not list(room.iterdir()) and not any(one.is_running() for one in family)


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
)
def test_a_grader_that_is_ended_leaves_no_folder_and_no_process(
    grader: subprocess.Popen[bytes], room: Path, number: int
) -> None:
    family = psutil.Process(grader.pid).children(recursive=True)
    assert len(family) >= 3
    grader.send_signal(number)
    wait_until(lambda: gone(room, family), timeout=10.0, what="the end of it all")


def test_ctrl_c_returns_when_nothing_is_left(
    grader: subprocess.Popen[bytes], room: Path
) -> None:
    """It removed the folder while the kernel still wrote to it."""
    family = psutil.Process(grader.pid).children(recursive=True)
    os.killpg(grader.pid, signal.SIGINT)
    grader.wait(20.0)
    assert gone(room, family)


def order(folder: Path, code: str, **limits: float) -> dict[str, Any]:
    return {
        **vars(run.Limits()),
        **limits,
        "argv": [sys.executable, "-I", "-c", code],
        "env": {},
        "cwd": str(folder),
        "user": None,
        "fds": [],
        "log": str(folder / "log"),
    }


def sandboxed(folder: Path, code: str, **limits: float) -> dict[str, Any]:
    """What became of *code*."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", sandbox.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(order(folder, code, **limits)).encode() + b"\n")
        process.stdin.flush()
        found: dict[str, Any] = json.loads(process.stdout.read())
        return found


def segments() -> list[str]:
    rows = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [row.split()[1] for row in rows]


def test_a_run_that_is_stopped_leaves_no_memory_of_a_postgres(tmp_path: Path) -> None:
    """The lab's reaper, which frees it, was killed with the rest."""
    ran = sandboxed(tmp_path, SEGMENT, seconds=1.0)
    assert (ran["stopped"], ran["killed"]) == ("seconds", 1)
    number = (tmp_path / "number").read_text().removesuffix(".")
    assert number not in segments()


def test_a_run_gains_no_rights_by_a_setuid_program(tmp_path: Path) -> None:
    code = "open('seen', 'w').write(open('/proc/self/status').read())"
    assert sandboxed(tmp_path, code)["status"] == 0
    assert "NoNewPrivs:\t1\n" in (tmp_path / "seen").read_text()


def test_what_can_not_be_killed_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox killed it for ever, and the grader waited."""
    monkeypatch.setattr(sandbox, "PATIENCE", 0.1)
    monkeypatch.setattr(sandbox, "_descendants", lambda: [2**22 + 1])
    assert sandbox._sweep(0.0) == {2**22 + 1}


def test_an_end_is_noticed_without_a_pidfd(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: int) -> int:
        raise OSError

    monkeypatch.setattr(os, "pidfd_open", none)
    ends = iter([None, 3])
    monkeypatch.setattr(sandbox, "_reap", lambda _: next(ends))
    monkeypatch.setattr(sandbox, "_descendants", list)
    reading, writing = os.pipe()
    monkeypatch.setattr(sandbox, "STDIN", reading)
    found = sandbox._watch(1, vars(run.Limits()), time.monotonic(), set())
    assert found == ("", 3)
    for fd in (reading, writing):
        os.close(fd)


def test_a_link_beside_a_notebook_leads_to_nothing(tmp_path: Path) -> None:
    """It was followed by the grader, who may read more than the learner's code."""
    (tmp_path / "secret").write_text("token")
    (tmp_path / "linked.py").symlink_to(tmp_path / "secret")
    (tmp_path / "own.py").write_text("x = 1")
    os.mkfifo(tmp_path / "pipe.py")
    with run._folder(tmp_path) as (folder, _):
        assert [path.name for path in folder.glob("*.py")] == ["own.py"]
        assert (folder / "own.py").read_text() == "x = 1"
