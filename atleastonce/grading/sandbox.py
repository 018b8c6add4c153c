"""Run one command under limits, and leave nothing of it behind.

A script of its own (``python -I -S sandbox.py``) so that it can be the reaper of every
process the command starts, however far they fork away. It reads one line of JSON
(``argv env cwd user fds`` and the limits) from stdin, and prints one when all is over.
The end of its stdin ends the command, and then it removes the folder too, for a killed
grader can't. For Linux.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
IPC_RMID = 0
STDIN = 0
#: Seconds between two looks at what the command uses.
TICK = 0.2
#: Seconds that processes of a command that ended may take to end by themselves.
GRACE = 2.0
#: Seconds after which it gives up on processes that can't be killed.
PATIENCE = 10.0
#: Processes or threads that the user may have beside the ones there are.
MORE_PROCESSES = 256
_PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Read the order from stdin, run it, and print what became of it."""
    order = json.loads(sys.stdin.readline())
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _raise)
    started, stopped, status = time.monotonic(), "", None
    seen: set[int] = set()
    try:
        child = _start(order, libc)
        stopped, status = _watch(child.pid, order, started, seen)
        child.returncode = status or 0  # Reaped here, not by subprocess.
    except KeyboardInterrupt:
        stopped = "interrupted"
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    killed = _sweep(0.0 if stopped else GRACE)
    _free(libc, seen | killed)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {
        "stopped": stopped,
        "status": status,
        "killed": len(killed),
        "seconds": time.monotonic() - started,
        "cpu": used.ru_utime + used.ru_stime,
    }
    # Nobody reads it when the grader was interrupted.
    with contextlib.suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), json.dumps(result).encode() + b"\n")
    if select.select([STDIN], [], [], 0)[0]:
        shutil.rmtree(order["cwd"], ignore_errors=True)


def _raise(*_: object) -> None:
    raise KeyboardInterrupt


def _start(order: dict[str, Any], libc: ctypes.CDLL) -> subprocess.Popen[bytes]:
    user = order["user"]
    drop: dict[str, Any] = {}
    if user is not None:
        drop = {"user": user, "group": user, "extra_groups": []}
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    child = subprocess.Popen(
        order["argv"],
        env=order["env"],
        cwd=order["cwd"],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        pass_fds=order["fds"],
        # Safe here: this process has one thread.
        preexec_fn=lambda: _limit(order, libc),  # noqa: PLW1509
        **drop,
    )
    for fd in (log, *order["fds"]):
        os.close(fd)
    return child


def _limit(order: dict[str, Any], libc: ctypes.CDLL) -> None:
    tasks = _tasks_of(os.getuid()) + MORE_PROCESSES
    limits = {
        resource.RLIMIT_CPU: order["cpu"],
        resource.RLIMIT_AS: order["memory"] * 2,
        resource.RLIMIT_FSIZE: order["file_size"],
        resource.RLIMIT_NPROC: tasks,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        value = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
        resource.setrlimit(kind, (value, value))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    # After the change of user, which clears it.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _watch(
    pid: int, order: dict[str, Any], started: float, seen: set[int]
) -> tuple[str, int | None]:
    """Wait for the command's end; why it must be stopped, or its exit status."""
    ends = [STDIN]
    # Where the kernel has none, the end is noticed a TICK later.
    with contextlib.suppress(OSError):
        ends.append(os.pidfd_open(pid))
    while True:
        if (status := _reap(pid)) is not None:
            return "", status
        if time.monotonic() - started > order["seconds"]:
            return "seconds", None
        family = _descendants()
        seen.update(family)
        if len(family) > order["processes"]:
            return "processes", None
        if _memory(family, order["memory"]) > order["memory"]:
            return "memory", None
        ready, _, _ = select.select(ends, [], [], TICK)
        if STDIN in ready and not os.read(STDIN, 1024):
            return "interrupted", None


def _reap(pid: int) -> int | None:
    """Take in every process that ended; the status of *pid* if it is among them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while (done := os.waitpid(-1, os.WNOHANG))[0]:
            if done[0] == pid:
                found = os.waitstatus_to_exitcode(done[1])
    return found


def _sweep(grace: float) -> set[int]:
    """End all that is left; the processes that had to be killed."""
    until = time.monotonic() + grace
    while _descendants() and time.monotonic() < until:
        _reap(0)
        _nap(0.02)
    killed: set[int] = set()
    until = time.monotonic() + PATIENCE
    # Stopped first: what is stopped can't fork while the others are killed.
    while (family := _descendants()) and time.monotonic() < until:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in family:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        killed.update(family)
        _reap(0)
        _nap(0.01)
    return killed


def _free(libc: ctypes.CDLL, creators: set[int]) -> None:
    """Remove the System V memory of dead Postgres servers, whose reaper we killed."""
    rows: list[str] = []
    with contextlib.suppress(OSError):
        rows = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    for row in rows:
        _, number, _, _, creator, _, attached = map(int, row.split()[:7])
        if creator in creators and not attached:
            libc.shmctl(number, IPC_RMID, None)


def _nap(seconds: float) -> None:
    # A script without the package: ``waiting.pause`` is out of its reach.
    select.select([], [], [], seconds)


def _descendants() -> list[int]:
    parents = {pid: _parent(pid) for pid in _processes()}
    found: list[int] = []
    last = {os.getpid()}
    while last := {pid for pid, parent in parents.items() if parent in last}:
        found += last
    return found


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _parent(pid: int) -> int:
    """The parent's pid; 0 for a process that is gone or only waits to be reaped."""
    try:
        state, parent = (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        )
    except (OSError, ValueError):
        return 0
    return int(parent) if state != "X" else 0


def _memory(family: list[int], limit: int) -> int:
    """Bytes that *family* uses; shared pages count once, but that takes longer."""
    rough = sum(_resident(pid) for pid in family)
    return rough if rough < limit else sum(_share(pid) for pid in family)


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _share(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return int(text.partition("\nPss:")[2].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return _resident(pid)


def _tasks_of(user: int) -> int:
    """Threads that *user* has now; RLIMIT_NPROC counts them all."""
    found = 0
    for folder in (Path(f"/proc/{pid}") for pid in _processes()):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid == user:
                found += sum(1 for _ in (folder / "task").iterdir())
    return found


if __name__ == "__main__":
    main()
