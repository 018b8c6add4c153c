"""Leave nothing behind: the process that outlives a lab's owner and cleans up.

Run as ``python -I -S reaper.py <fd> <owner's pid>``, standard library only. It reads
lines from a pipe whose writing end only the owner holds:

``+pid`` / ``-pid``  kill this process at the end, or no longer
``folder PATH``      a lab's folder: kill what belongs to it, then remove it
``end``              the owner is done

At ``end``, at the pipe's end-of-file, or when the owner dies, it kills with SIGKILL
until nothing is left, removes the folders, and exits. The functions that read ``/proc``
are imported by other modules too; a process that has ended (a zombie) is never listed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Names the lab file in the environment of every process of a lab.
TOKEN = "ATLEASTONCE_LAB_FILE"  # noqa: S105 - a variable's name
#: How the name of a lab's folder starts.
PREFIX = "atleastonce-"
#: Seconds after which it gives up, so that it never stays itself.
PATIENCE = 10.0
IPC_RMID = 0


class Row(NamedTuple):
    """One live process, from ``/proc/<pid>/stat`` (see proc(5))."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    started: int  # clock ticks after boot; with the pid it names a process for good


def read_row(pid: int) -> Row | None:
    """The process *pid*, or None when it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The command's name stands in brackets and may hold spaces and brackets.
    state, *rest = text[text.rfind(")") + 2 :].split()
    if state in "ZX":
        return None
    parent, group, session = map(int, rest[:3])
    return Row(pid, state, parent, group, session, int(rest[18]))


def table() -> dict[int, Row]:
    """All live processes by pid, but the caller."""
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - no Path for each of hundreds
    rows = (read_row(pid) for pid in pids if pid != os.getpid())
    return {row.pid: row for row in rows if row}


def family(roots: Iterable[int], rows: dict[int, Row]) -> set[int]:
    """*roots*, their groups and sessions, and all their descendants, if alive."""
    found: set[int] = set()
    new = set(roots)
    while new:
        found |= new
        new = {
            row.pid
            for row in rows.values()
            if {row.parent, row.group, row.session} & found
        } - found
    return found & rows.keys()


def file_systems(pid: int | str) -> str:
    """What names the mounts that *pid* sees; each container has its own."""
    return os.readlink(f"/proc/{pid}/ns/mnt")  # noqa: PTH115 - no Path for each of hundreds


def lab_of(pid: int) -> str:
    """The folder of the lab that *pid* belongs to, or "" for a foreign process.

    Redis and Postgres write their title over their environment; what they print goes
    to a file in the lab's folder all the same. A container's process is foreign to its
    host, which sees it: the name of its folder means another one there.
    """
    candidates: list[Path] = []
    # Who has ended or is somebody else's can't be looked into.
    with contextlib.suppress(OSError):
        if file_systems(pid) != file_systems("self"):
            return ""
        for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            name, _, value = os.fsdecode(entry).partition("=")
            if name == TOKEN:
                candidates.append(Path(value).parent)
        candidates.append(Path(f"/proc/{pid}/fd/1").readlink().parent.parent)
    ours = (path for path in candidates if path.name.startswith(PREFIX))
    return str(next(ours, ""))


def members(folders: Iterable[str], rows: dict[int, Row]) -> set[int]:
    """The processes that belong to the labs in *folders*."""
    wanted = set(folders)
    return {pid for pid in rows if lab_of(pid) in wanted} if wanted else set()


def signal_all(pids: Iterable[int], number: int) -> None:
    """Send signal *number*; who has ended meanwhile is passed over."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def exterminate(
    pids: Iterable[int] = (), folders: Iterable[str] = (), spare: Iterable[int] = ()
) -> None:
    """Kill *pids*, the labs' processes and all their families; return when none lives.

    *spare* is never killed. Gives up after PATIENCE seconds.
    """
    roots, spared = set(pids), set(spare)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        rows = table()
        victims = family((roots | members(folders, rows)) - spared, rows) - spared
        if not victims:
            return
        # What they forked after the look above is found by the next one.
        roots |= victims
        signal_all(victims, signal.SIGKILL)
        select.select([], [], [], 0.002)


def forget_shared_memory(folder: str) -> None:
    """Remove the System V segment that a killed Postgres of this lab left behind."""
    for file in Path(folder).glob("*/postmaster.pid"):
        # Its seventh line: key and id of the segment (miscinit.c, CreateLockFile).
        for line in file.read_text(errors="replace").splitlines()[6:7]:
            ctypes.CDLL(None).shmctl(int(line.split()[1]), IPC_RMID, None)


def remove(folder: str) -> None:
    """Remove a lab's folder, with what lies in the kernel on its account."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        forget_shared_memory(folder)
    # An owner that lives may still be writing; once it is gone nothing comes back.
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        select.select([], [], [], 0.01)


def lines(pipe: int, owner: int) -> Iterator[str]:
    """What the owner says, line by line, until its end."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    # A child that the owner forked may hold the pipe open for longer than it lives.
    with contextlib.suppress(OSError):
        poll.register(os.pidfd_open(owner), select.POLLIN)
    rest = b""
    while True:
        ready = [fd for fd, _ in poll.poll()]
        chunk = os.read(pipe, 65536) if pipe in ready else b""
        if not chunk:
            return
        *whole, rest = (rest + chunk).split(b"\n")
        yield from map(os.fsdecode, whole)


def listen(pipe: int, owner: int) -> tuple[set[int], dict[str, None]]:
    """What is to be killed and removed once the owner is done or dead."""
    started: dict[int, Row | None] = {}
    folders: dict[str, None] = {}
    for line in lines(pipe, owner):
        if line == "end":
            break
        if line.startswith("folder "):
            folders[line[7:]] = None
        elif line.startswith("+"):
            started[int(line)] = read_row(int(line))
        else:
            started.pop(-int(line), None)
    return {pid for pid, row in started.items() if row and same(row)}, folders


def same(row: Row) -> bool:
    """False when the pid was given to another process since *row* was read."""
    now = read_row(row.pid)
    return now is None or now.started == row.started


def main(pipe: int, owner: int) -> None:
    """Wait for the owner's end, then kill and remove."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    pids, folders = listen(pipe, owner)
    exterminate(pids, folders, spare={owner})
    for folder in reversed(folders):
        remove(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
