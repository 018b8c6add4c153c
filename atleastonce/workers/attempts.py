"""Counting the attempts of each message, across every worker of a lab.

An attempt is a file ``attempts/<message>.<n>`` that only one process can create; it
holds the pid of the process that runs the attempt, and survives its SIGKILL.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path


def begin(folder: Path, message: str) -> int:
    """Claim the next attempt of *message* for this process; numbers start at 1."""
    folder = folder / "attempts"
    folder.mkdir(exist_ok=True)
    for number in itertools.count(1):
        path = folder / f"{message}.{number}"
        try:
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            continue
        os.write(fd, str(os.getpid()).encode())
        os.close(fd)
        return number
    raise AssertionError  # pragma: no cover - count() has no end


def last_of(folder: Path, message: str, pid: int | None = None) -> int:
    """The last attempt of *message*, by process *pid* if one is given; 0 if none."""
    found = 0
    for number in itertools.count(1):
        try:
            owner = (folder / "attempts" / f"{message}.{number}").read_text()
        except FileNotFoundError:
            return found
        if pid is None or owner == str(pid):
            found = number
    return found  # pragma: no cover - count() has no end


def acked_early(folder: Path, message: str) -> None:
    """One more delivery of *message* was acked before its attempt ran."""
    folder = folder / "attempts"
    folder.mkdir(exist_ok=True)
    with (folder / f"{message}.acked").open("ab") as file:
        file.write(b".")


def await_ack(folder: Path, message: str, number: int) -> None:
    """Wait until attempt *number* of *message* was acked, early.

    The main process acks while the child already runs the task; a worker that a strike
    kills at once would leave the message acked in one run and not in the next.

    Raises:
        WaitTimeout: it was not within 5 s.
    """
    path = folder / "attempts" / f"{message}.acked"
    wait_until(
        lambda: path.exists() and path.stat().st_size >= number,
        timeout=5.0,
        what=f"the early ack of attempt {number}",
        interval=0.001,
    )
