"""The handle of one worker: what a lesson can do to it and ask it."""

from __future__ import annotations

import os
import signal
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING

from atleastonce.errors import WaitTimeout, WorkerError
from atleastonce.services import reaper as proc
from atleastonce.waiting import wait_until
from atleastonce.workers.mains import Warm

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.waiting import Deadline
    from atleastonce.workers.fleet import Fleet
    from atleastonce.workers.mains import Running
    from atleastonce.workers.switchboard import Switchboard

#: Seconds for a worker that was killed to be gone; 5 were too few with a load of 36.
GONE = 30.0
#: Seconds for a worker to reach a moment that is fit for a signal.
SETTLED = 1.0


class Worker:
    """One Celery worker: a main process and its pool.

    Attributes:
        name: ``w1``, ``w2``, ...; of one worker only until the fleet is cleared.
        pid: of the main process.
        ready: True once Celery has said that it takes messages.

    The signals that end it politely reach it between two turns of its event loop, while
    no message is on its way to a pool process: such a one would both run and be
    requeued, and the worker last 30 s more (``AsynPool.flush``, Celery 5.7; measured).
    """

    def __init__(self, name: str, process: Running, fleet: Fleet, log: Path) -> None:
        self.name, self.pid = name, process.pid
        self.ready = self._reported = False
        self._process, self._fleet, self._log = process, fleet, log

    def __repr__(self) -> str:
        """Name and state, without a pid: a notebook shows it."""
        state = "ready" if self.ready else "starting"
        return f"<worker {self.name}, {state if self.alive else 'ended'}>"

    @property
    def alive(self) -> bool:
        """True until its main process has ended."""
        return self.exit_status is None

    @property
    def exit_status(self) -> int | None:
        """0 to 255, or minus the signal that ended it; None while it runs."""
        self._fleet.pump(0.0)
        return self._process.status()

    @property
    def ending(self) -> str:
        """How it ended: ``exit 1``, ``SIGKILL``; "" while it runs."""
        status = self._process.status()
        if status is None:
            return ""
        return f"exit {status}" if status >= 0 else signal.Signals(-status).name

    def children(self) -> list[int]:
        """The pids of its live pool processes, oldest first; none in other pools."""
        return [row.pid for row in self._rows() if row.pid != self.pid]

    def _rows(self) -> list[proc.Row]:
        rows = proc.table().values()
        ours = [r for r in rows if self.pid in (r.pid, r.parent)]
        return sorted(ours, key=lambda row: (row.started, row.pid))

    def log(self, lines: int = 10) -> str:
        """The last *lines* of what it wrote."""
        try:
            text = self._log.read_text(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.splitlines()[-lines:])

    def kill(self) -> None:
        """SIGKILL to the main process; returns when its children are gone too."""
        self._note("fault", "killed", "worker")
        self.end()

    def kill_all(self) -> None:
        """SIGKILL to every process of its group, as the kernel empties a cgroup.

        Nobody of the worker is left to notice. Returns when all are gone.
        """
        self._note("fault", "killed with all its processes", "worker")
        children = self.children()
        self._process.send_all(signal.SIGKILL)
        self._wait_gone(children)

    def kill_child(self, pid: int = 0) -> None:
        """SIGKILL to one pool process, by default the oldest.

        Raises:
            WorkerError: it has none.
        """
        children = self.children()
        if not children or (pid and pid not in children):
            raise WorkerError(
                f"{self.name} has no pool process {pid or ''}to kill.", seen=self.log()
            )
        self._note("fault", "killed", "child")
        with suppress(ProcessLookupError):
            os.kill(pid or children[0], signal.SIGKILL)

    def term(self) -> None:
        """SIGTERM: finish what runs, take nothing new, end (a warm shutdown)."""
        self._note("fault", "SIGTERM", "worker")
        with self._standing():
            self._process.send(signal.SIGTERM)

    def term_all(self) -> None:
        """SIGTERM to every process of its group, as some supervisors send it."""
        self._note("fault", "SIGTERM to all its processes", "worker")
        with self._standing():
            self._process.send_all(signal.SIGTERM)

    def stop(self, grace: float, *, everyone: bool = False) -> None:
        """What an orchestrator does: SIGTERM, and SIGKILL after *grace* seconds.

        Args:
            grace: seconds.
            everyone: SIGTERM to all of its processes, not to the first alone.
        """
        (self.term_all if everyone else self.term)()
        with suppress(WaitTimeout):
            self.wait_exit(grace)
            return
        self.kill()

    def quit(self) -> None:
        """SIGQUIT: end without waiting for what runs (a cold shutdown)."""
        self._note("fault", "SIGQUIT", "worker")
        with self._standing():
            self._process.send(signal.SIGQUIT)

    def interrupt(self) -> None:
        """SIGINT, as Ctrl-C sends it: warm; the second time cold."""
        self._note("fault", "SIGINT", "worker")
        with self._standing():
            self._process.send(signal.SIGINT)

    def _standing(self) -> AbstractContextManager[None]:
        return self._fleet.board.standing(self.name, SETTLED)

    def freeze(self) -> None:
        """SIGSTOP to main process and pool; returns when all stand still."""
        self._note("fault", "frozen", "worker")
        self._signal_until(signal.SIGSTOP, stopped=True)

    def thaw(self) -> None:
        """SIGCONT to main process and pool; returns when all go on."""
        message, attempt = self._frozen()
        tie = {"message": message, "attempt": attempt}
        # Before it goes on: what it does then is a consequence.
        self._fleet.events.write(self.name, "note", "goes on", **tie)
        self._signal_until(signal.SIGCONT, stopped=False)

    def _frozen(self) -> tuple[str, int]:
        """The message and attempt that were last frozen here; ("", 0) for none."""
        events, _ = self._fleet.events.read()
        faults = [e for e in events if (e.lane, e.kind) == (self.name, "fault")]
        return (faults[-1].message, faults[-1].attempt) if faults else ("", 0)

    def _signal_until(self, number: int, *, stopped: bool) -> None:
        def settled() -> bool:
            for row in self._rows():
                with suppress(ProcessLookupError):
                    os.kill(row.pid, number)
            return all((row.state in "Tt") is stopped for row in self._rows())

        wait_until(settled, timeout=5.0, what=f"{self.name} to take signal {number}")

    def wait_ready(self, deadline: Deadline) -> None:
        """Wait until it takes messages.

        Raises:
            WorkerError: it ended, or was not ready in time; with its last lines.
        """
        while not self.ready:
            ended = "" if self.alive else f"ended before it was ready: {self.ending}"
            late = f"was not ready after {deadline.timeout:g} s"
            if ended or deadline.expired:
                raise WorkerError(f"{self.name} {ended or late}.", seen=self.log(20))
            self._fleet.pump(0.02)

    def wait_exit(self, timeout: float = 10.0) -> int:
        """Wait for the end of the main process; returns ``exit_status``.

        Raises:
            WaitTimeout: it still runs after *timeout* seconds.
        """
        wait_until(
            lambda: not self.alive,
            timeout=timeout,
            what=f"{self.name} to end",
            seen=self.log,
        )
        return self._process.status() or 0

    def follow(self, board: Switchboard) -> None:
        """Take over what was heard of it."""
        self.ready = self.name in board.ready
        status = board.ended.get(self.pid, -signal.SIGKILL if board.gone else None)
        if isinstance(self._process, Warm) and status is not None:
            self._process.ended = status
        self._report_exit()

    def end(self) -> None:
        """SIGKILL, with no word on the timeline; returns when its pool is gone too."""
        children = self.children()
        self._process.end()
        self._wait_gone(children)

    def _wait_gone(self, children: list[int]) -> None:
        wait_until(
            lambda: not (self.alive or any(map(proc.read_row, children))),
            timeout=GONE,
            what=f"{self.name} and its pool to end",
        )

    def _report_exit(self) -> None:
        status = self._process.status()
        if status is not None and not self._reported:
            self._reported = True
            self._fleet.events.write(self.name, "exit", self.ending)

    def _note(self, kind: str, text: str, what: str) -> None:
        self._fleet.events.write(self.name, kind, text, data={"what": what})
