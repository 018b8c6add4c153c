"""The notebook's end of the fork server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from atleastonce.services.process import child_env

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.services.cleanup import Reaper


class ForkServer:
    """Start ``zygote`` at once; it imports its libraries while we do other things.

    Args:
        lab_file: named in the environment of every worker; it may not exist yet.
        reaper: kills it, and with it the workers, if we can't.
        log: file that gets its output.
    """

    def __init__(self, lab_file: Path, reaper: Reaper, log: Path) -> None:
        self._log, self._reaper = log, reaper
        self.control, theirs = socket.socketpair()
        with log.open("ab") as out, theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "atleastonce.workers.zygote"),
                    str(theirs.fileno()),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                # What a killed worker leaves in its TMPDIR goes with the lab.
                env=child_env(ATLEASTONCE_LAB_FILE=lab_file, TMPDIR=log.parent),
                cwd=log.parent,
                start_new_session=True,
            )
        reaper.add(self._process.pid)
        self._buffer = b""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def tail(self, lines: int = 10) -> str:
        """The last lines that it said."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:])

    def order(self, do: str, **more: object) -> None:
        """Send one order; a dead fork server is found by ``hear``."""
        with suppress(OSError):
            self.control.sendall(json.dumps({"do": do, **more}).encode() + b"\n")

    def hear(self) -> list[dict[str, Any]] | None:
        """What it has said since; blocks if it said nothing. None: it is gone."""
        try:
            got = self.control.recv(65536)
        except ConnectionResetError:
            got = b""
        *lines, self._buffer = (self._buffer + got).split(b"\n")
        return [json.loads(line) for line in lines] if got else None

    def close(self) -> None:
        """End it and, with it, all workers it forked."""
        self.control.close()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reaper.discard(self._process.pid)
