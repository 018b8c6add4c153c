"""The fork server: a process with everything imported that forks real Celery workers.

Run as ``python -m atleastonce.workers.zygote <fd>``, one end of a socket pair. One JSON
object per line, each way:

``do: preload, project``                      ``preloaded``: a Django project is set up
``do: spawn, app, argv, env, path, cwd, log`` ``spawned, pid``
``do: spawn, call, argv, ...``                 likewise, to call ``module:function``
``do: signal, pid, number, order``            ``signalled, order``: sent, unless the
                                              worker was reaped
(by itself)                                   ``exit, pid, status``; negative: the
                                              signal that ended it

End of file on the socket means that the notebook is gone: its workers are killed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from atleastonce.services import reaper as proc
from atleastonce.workers import preload
from atleastonce.workers.birth import be_worker

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT


class Zygote:
    """Serve one control socket until it is closed."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.wake, self.woken = socket.socketpair()
        for end in (self.wake, self.woken):
            end.setblocking(False)  # noqa: FBT003 - the socket API
        self.workers: set[int] = set()
        self._buffer = b""

    def serve(self) -> None:
        """Answer commands and report exits; at the end kill every worker."""
        self._listen_to_children()
        preload.libraries()
        self._settle()
        self.say(event="warm")
        try:
            while self._turn():
                pass
        finally:
            for pid in self.workers:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def say(self, **message: object) -> None:
        """Send one message to the notebook; it may be gone."""
        with suppress(OSError):
            self.control.sendall(json.dumps(message).encode() + b"\n")

    def _listen_to_children(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake.fileno(), warn_on_full_buffer=False)
        # Pool children of a killed worker come to us; nobody else may reap them.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def _settle(self) -> None:
        """Keep what is loaded in pages that the workers share."""
        gc.collect()
        gc.freeze()

    def _turn(self) -> bool:
        ready, _, _ = select.select([self.control, self.woken], [], [])
        if self.woken in ready:
            with suppress(BlockingIOError):
                self.woken.recv(4096)
            self._reap()
        return self._hear() if self.control in ready else True

    def _hear(self) -> bool:
        try:
            got = self.control.recv(65536)
        except ConnectionResetError:
            got = b""
        *lines, self._buffer = (self._buffer + got).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return bool(got)

    def _obey(self, order: dict[str, Any]) -> None:
        match order["do"]:
            case "preload":
                self._preload(order["project"])
            case "spawn":
                self._spawn(order)
            case "signal":
                self._signal(order["pid"], order["number"])
                self.say(event="signalled", order=order["order"])

    def _preload(self, name: str) -> None:
        try:
            preload.project(name)
        except Exception as error:  # noqa: BLE001 - told to the notebook, which raises
            self.say(event="preloaded", error=f"{type(error).__name__}: {error}")
            return
        self._settle()
        self.say(event="preloaded", error="")

    def _spawn(self, order: dict[str, Any]) -> None:
        pid = os.fork()
        if not pid:
            be_worker(order, [self.control, self.wake, self.woken])
        self.workers.add(pid)
        self.say(event="spawned", pid=pid)

    def _signal(self, pid: int, number: int) -> None:
        if pid in self.workers:
            os.kill(pid, number)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, _ENDED):
                self._bury(found.si_pid)

    def _bury(self, pid: int) -> None:
        mine = pid in self.workers
        if mine:
            # Before it is reaped: its number, so its session's, is still its own.
            _end_session(pid)
        _, status = os.waitpid(pid, 0)
        if mine:
            self.workers.discard(pid)
            self.say(event="exit", pid=pid, status=os.waitstatus_to_exitcode(status))


def _end_session(leader: int) -> None:
    """Kill what a worker left.

    Its pool dies with it (``PR_SET_PDEATHSIG``), except a child so young that it had
    not asked the kernel for that.
    """
    rows = proc.table().values()
    proc.signal_all([r.pid for r in rows if r.session == leader], signal.SIGKILL)


if __name__ == "__main__":
    Zygote(socket.socket(fileno=int(sys.argv[1]))).serve()
