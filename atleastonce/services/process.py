"""One process of a lab: started in its own session, logged, and killed for sure."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from atleastonce.errors import ServiceError
from atleastonce.services import reaper as proc
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from atleastonce.services.cleanup import Reaper

#: With fewer bytes free a failure is put down to the full disk: its log may lack too.
FULL = 2**20
#: Settings of libpq, Erlang and RabbitMQ would lead elsewhere; a lab's token goes to
#: its own only.
_FOREIGN = ("PG", "ERL_", "RABBITMQ_", proc.TOKEN)


def child_env(**more: object) -> dict[str, str]:
    """Our environment for a child, without what is foreign to it, and with *more*."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    return env | {name: str(value) for name, value in more.items()}


class Process:
    """A process that the reaper kills if we can't; nothing runs before ``start``.

    Args:
        name: for errors, such as ``redis``.
        argv: the command; no secrets.
        log: file that gets its output, appended.
        reaper: where it is registered.
        env: its environment; default ``child_env()``.
        cwd: its folder.
        stdin: what it reads, at most 64 KiB; default nothing.
        user: user and group id to run as; default ours.
    """

    def __init__(  # noqa: PLR0913 - what Popen needs, and what a log and a reaper add
        self,
        name: str,
        argv: Sequence[str | Path],
        *,
        log: Path,
        reaper: Reaper,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        stdin: bytes | None = None,
        user: int | None = None,
    ) -> None:
        self.name, self.argv, self.log = name, [str(word) for word in argv], log
        self._reaper, self._env, self._cwd = reaper, env, cwd
        self._stdin, self._user = stdin, user
        self._process: subprocess.Popen[bytes] | None = None
        self._row: proc.Row | None = None
        self._start_of_log = 0

    def start(self) -> None:
        """Start it.

        Raises:
            ServiceError: it runs already, or the command can't be executed.
        """
        if self.alive:
            raise ServiceError(f"{self.name} runs already, as process {self.pid}.")
        with self._reaper.admitting(), self.log.open("ab") as log:
            self._start_of_log = log.tell()
            try:
                self._process = self._popen(log.fileno())
            except OSError as error:
                raise ServiceError(
                    f"{self.name} could not be started: {self.argv[0]}",
                    seen=str(error),
                    attempt="atleastonce doctor",
                ) from None
            self._reaper.add(self._process.pid)
        self._row = proc.read_row(self._process.pid)
        self._feed(self._process)

    def run(self, timeout: float) -> None:
        """Start it and return when it has ended well.

        Raises:
            ServiceError: it ended with another exit status than 0.
            WaitTimeout: it had not ended after *timeout* seconds.
        """
        self.start()
        try:
            wait_until(
                lambda: not self.alive,
                timeout=timeout,
                what=f"{self.name} to end",
                seen=self.tail,
            )
        finally:
            self.kill()
        if self.poll():
            raise self.error("failed")

    def _popen(self, log: int) -> subprocess.Popen[bytes]:
        groups: list[int] | None = None if self._user is None else []
        return subprocess.Popen(
            self.argv,
            stdin=subprocess.DEVNULL if self._stdin is None else subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=child_env() if self._env is None else self._env,
            cwd=self._cwd,
            user=self._user,
            group=self._user,
            extra_groups=groups,
            start_new_session=True,
        )

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin and self._stdin is not None:
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(self._stdin)

    @property
    def pid(self) -> int:
        """Its process id; 0 before the first start."""
        return self._process.pid if self._process else 0

    def poll(self) -> int | None:
        """Its exit status (negative: the signal that ended it), None while it runs."""
        return self._process.poll() if self._process else None

    @property
    def alive(self) -> bool:
        """True from ``start`` until its end."""
        return self._process is not None and self.poll() is None

    def tail(self, lines: int = 10) -> str:
        """The last *lines* of its output since it was started."""
        if not self._process:
            return ""
        text = self.log.read_bytes()[self._start_of_log :].decode(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def error(self, what: str) -> ServiceError:
        """The error that says how it ended; *what* is the verb, such as "failed"."""
        attempt = "atleastonce doctor"
        if shutil.disk_usage(self.log.parent).free < FULL:
            what = f"{what}: no space left on device ({self.log.parent.parent})"
            attempt = "export TMPDIR=/var/tmp"
        status = f"exit status {self.poll()}"
        return ServiceError(
            f"{self.name} {what}; {status}.", seen=self.tail(), attempt=attempt
        )

    def family(self) -> set[int]:
        """Its live processes: itself, its group and session, its descendants."""
        return proc.family(self._roots(), proc.table())

    def _roots(self) -> list[int]:
        """Its own number, unless it ended and the number went to another process."""
        return [self._row.pid] if self._row and proc.same(self._row) else []

    def kill(self) -> None:
        """SIGKILL to the whole family; returns when none of it lives."""
        if self._process is None:
            return
        # While it stands still it can't fork a child that we would miss.
        proc.signal_all([self.pid] if self.alive else [], signal.SIGSTOP)
        proc.exterminate(self._roots())
        self._process.wait()
        self._reaper.discard(self.pid)

    def freeze(self) -> None:
        """SIGSTOP to the whole family; returns when all of it stands still."""
        self._signal_until(signal.SIGSTOP, stopped=True)

    def thaw(self) -> None:
        """SIGCONT to the whole family; returns when all of it goes on."""
        self._signal_until(signal.SIGCONT, stopped=False)

    def _signal_until(self, number: int, *, stopped: bool) -> None:
        def settled() -> bool:
            proc.signal_all(self.family(), number)
            rows = proc.table()
            family = proc.family(self._roots(), rows)
            return all((rows[pid].state in "Tt") is stopped for pid in family)

        wait_until(settled, timeout=5.0, what=f"{self.name} to take signal {number}")

    def stop(self, timeout: float = 5.0, number: int = signal.SIGTERM) -> None:
        """Ask it to end with signal *number*; after *timeout* seconds kill it."""
        if self._process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self._process.send_signal(number)
            self._process.send_signal(signal.SIGCONT)
            self._process.wait(timeout)
        self.kill()
