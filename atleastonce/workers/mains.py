"""A worker's main process: forked warm, started cold, or below an entry point."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from atleastonce.services import reaper as proc

if TYPE_CHECKING:
    from atleastonce.services.process import Process
    from atleastonce.workers.switchboard import Switchboard


class Running(Protocol):
    """A worker's main process, or what stands above it."""

    pid: int

    def send(self, number: int) -> None:
        """Send it a signal, unless it has ended."""

    def status(self) -> int | None:
        """Its exit status (negative: the signal that ended it), None while it runs."""

    def send_all(self, number: int) -> None:
        """Send a signal to every process of its group."""

    def end(self) -> None:
        """Kill it with all that is below it."""


class Warm:
    """A main process that the fork server forked, and reaps."""

    def __init__(self, pid: int, board: Switchboard) -> None:
        self.pid, self._board = pid, board
        self.ended: int | None = None

    def send(self, number: int) -> None:
        """Send it a signal, through the fork server."""
        self._board.signal(self.pid, int(number))

    def status(self) -> int | None:
        """Its exit status, as the fork server reported it."""
        return self.ended

    def send_all(self, number: int) -> None:
        """Send a signal to its whole group; it leads one."""
        _signal_group(self.pid, number)

    def end(self) -> None:
        """Kill it; its children follow, and the fork server reaps them all."""
        self.send(signal.SIGKILL)


class Cold:
    """A main process that was started as ``celery worker``."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pid = process.pid

    def send(self, number: int) -> None:
        """Send it a signal."""
        if self._process.alive:
            os.kill(self.pid, number)

    def status(self) -> int | None:
        """Its exit status."""
        return self._process.poll()

    def send_all(self, number: int) -> None:
        """Send a signal to its whole group; it leads one."""
        _signal_group(self.pid, number)

    def end(self) -> None:
        """Kill it and its family."""
        self._process.kill()


class Contained(Cold):
    """An entry point that runs as a container's first process would.

    The kernel does not deliver a signal to the first process of a PID namespace unless
    that process has a handler for it; SIGKILL ends all of the namespace
    (pid_namespaces(7)). We make no namespace, which takes rights, and keep its rule.
    """

    def send(self, number: int) -> None:
        """Send it a signal, which is dropped if it has no handler for it."""
        if number == signal.SIGKILL or catches(self.pid, number):
            super().send(number)

    def send_all(self, number: int) -> None:
        """Send a signal to every process; the first drops what it does not catch."""
        for pid in self._process.family() - {self.pid}:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        self.send(number)


def catches(pid: int, number: int) -> bool:
    """True if process *pid* has a handler for signal *number*: proc(5), ``SigCgt``."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return False
    found = next(line for line in text.splitlines() if line.startswith("SigCgt:"))
    return bool(int(found.split()[1], 16) >> (number - 1) & 1)


def _signal_group(leader: int, number: int) -> None:
    # By number, not by killpg: a group's leader may have ended and been reaped.
    rows = proc.table().values()
    for pid in [row.pid for row in rows if row.group == leader]:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
