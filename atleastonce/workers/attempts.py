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
    from collections.abc import Iterator
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
    return max(_of(folder, message, pid), default=0)


def _of(folder: Path, message: str, pid: int | None) -> Iterator[int]:
    for number in itertools.count(1):
        try:
            owner = (folder / "attempts" / f"{message}.{number}").read_text()
        except FileNotFoundError:
            return
        if pid is None or owner == str(pid):
            yield number


def accepted(folder: Path, message: str, pid: int) -> None:
    """The main process knows of one more attempt by *pid*; an early ack is sent."""
    folder = folder / "attempts"
    folder.mkdir(exist_ok=True)
    with (folder / f"{message}.accepted.{pid}").open("ab") as file:
        file.write(b".")


def await_accepted(folder: Path, message: str) -> None:
    """Wait until the main process knows of this process's last attempt of *message*.

    It learns so, and acks early, while the child already runs the task. A strike at
    once would find the message acked in one run and not in the next; and a SIGTERM then
    has the message both run and requeued (``AsynPool.flush``, Celery 5.7).

    Raises:
        WaitTimeout: it does not within 5 s.
    """
    pid = os.getpid()
    begun = sum(1 for _ in _of(folder, message, pid))
    path = folder / "attempts" / f"{message}.accepted.{pid}"
    wait_until(
        lambda: path.exists() and path.stat().st_size >= begun,
        timeout=5.0,
        what="the main process to know of this attempt",
        interval=0.001,
    )
