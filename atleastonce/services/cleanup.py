"""The owner's end of the reaper: tell it what to clean up, and when."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from atleastonce.errors import ServiceError
from atleastonce.services import reaper

if TYPE_CHECKING:
    from collections.abc import Iterator


class Reaper:
    """Start the reaper process, whose end of the pipe outlives this process.

    Whatever ends this process (``exit``, Ctrl-C, SIGKILL), what was registered is
    killed and removed within 2 s.
    """

    def __init__(self) -> None:
        reading, self._pipe = os.pipe()
        script = [sys.executable, "-I", "-S", str(Path(reaper.__file__))]
        try:
            self._process = subprocess.Popen(
                [*script, str(reading), str(os.getpid())],
                pass_fds=[reading],
                env={},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(reading)
        self._closed, self._lock = False, RLock()

    @property
    def pid(self) -> int:
        """The reaper's own process id."""
        return self._process.pid

    def add(self, pid: int) -> None:
        """Kill *pid* with its group and descendants at the end."""
        self._say(f"+{pid}")

    @contextmanager
    def admitting(self) -> Iterator[None]:
        """Start and add a process inside: none slips in while the lab closes.

        Raises:
            ServiceError: the lab is closed.
        """
        with self._lock:
            if self._closed:
                raise ServiceError("The lab is closed.", attempt="open it again")
            yield

    def discard(self, pid: int) -> None:
        """*pid* has ended and was waited for: its number may be given to others."""
        self._say(f"-{pid}")

    def add_folder(self, folder: Path) -> None:
        """Kill what belongs to the lab in *folder* at the end, and remove it."""
        self._say(f"folder {folder}")

    def close(self, timeout: float = 15.0) -> None:
        """Have everything killed and removed now; returns when it is done.

        Raises:
            ServiceError: it was not done after *timeout* seconds.
        """
        with self._lock:
            if self._closed:
                return
            self._say("end")
            self._closed = True
            os.close(self._pipe)
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise ServiceError(
                f"The lab's processes were not gone after {timeout:g} s.",
                attempt="atleastonce down",
            ) from None

    def _say(self, line: str) -> None:
        # A handle may tell of its process's end after the lab was closed, and somebody
        # may have killed the reaper.
        with self._lock, suppress(BrokenPipeError):
            if not self._closed:
                os.write(self._pipe, os.fsencode(line) + b"\n")
