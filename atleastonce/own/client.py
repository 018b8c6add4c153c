"""The end that asks: start a project's process, use the instruments in it, end it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from atleastonce import errors
from atleastonce.errors import AtLeastOnceError, ProjectError, WaitTimeout
from atleastonce.own.calls import (
    FUNCTIONS,
    Call,
    Failed,
    Found,
    Named,
    Opened,
    Request,
)
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from atleastonce.explore.result import Interleavings
    from atleastonce.explore.sweep import Sweep
    from atleastonce.own.calls import Opening

#: Seconds for a project's process to end its services; then they are killed with it.
PATIENCE = 10.0
STDERR = 2


class Client:
    """A project that is open; ends with this object, or with this process.

    Attributes:
        exported: the variables that were set for it.

    Args:
        opening: the project.

    Raises:
        AtLeastOnceError: it can't be opened.
    """

    def __init__(self, opening: Opening) -> None:
        self._link, theirs = Pipe()
        self._folder, self._busy = "", False
        fd = theirs.fileno()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "atleastonce.own.helper"),
                *(str(fd), str(os.getpid())),
            ],
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            # Stdout is the answer's, and a project may print.
            stdout=STDERR,
            cwd=opening.folder,
            # Ctrl-C is for us; we end it.
            start_new_session=True,
        )
        theirs.close()
        try:
            opened: Opened = self._ask(opening)
        except BaseException:
            self.close()
            raise
        self.exported, self._folder = opened.exported, opened.folder

    def _ask(self, question: object) -> Any:  # noqa: ANN401 - what is answered to it
        if self._busy:
            raise ProjectError(
                "The project's process still works at what was interrupted.",
                attempt="open the project again",
            )
        packed = pickle.dumps(question)
        # It stays so when we are interrupted: the next answer would be this one's.
        self._busy = True
        try:
            self._link.send_bytes(packed)
            packed = self._link.recv_bytes()
        except (EOFError, ConnectionError):
            self._busy = False
            raise ProjectError(
                "The process that the project was imported in has ended: exit status "
                f"{self._process.wait()}.",
                seen="what it said stands above",
                attempt="import the project in a plain Python first",
            ) from None
        self._busy = False
        answer = pickle.loads(packed)  # noqa: S301 - from the process that we started
        if isinstance(answer, Failed):
            kind: type[AtLeastOnceError] = getattr(errors, answer.kind, ProjectError)
            raise kind(answer.what, seen=answer.seen, attempt=answer.attempt)
        return answer

    def find(self, request: Request) -> Found:
        """Use an instrument; returns what it found, in every form.

        Raises:
            AtLeastOnceError: nothing, and why.
        """
        found: Found = self._ask(request)
        return found

    def crash_sweep(self, target: Any, *args: object, **options: Any) -> Sweep:  # noqa: ANN401 - as there
        """As ``explore.crash_sweep``; functions must be at the top of a module."""
        call = Call.of((target, *args) if args else target)
        return self._unpacked("crash_sweep", (call,), options)  # type: ignore[return-value]

    def interleave(self, *copies: Any, **options: Any) -> Interleavings:  # noqa: ANN401 - as there
        """As ``explore.interleave``; functions must be at the top of a module."""
        calls = tuple(Call.of(copy) for copy in copies)
        return self._unpacked("interleave", calls, options)  # type: ignore[return-value]

    def _unpacked(
        self, instrument: str, calls: tuple[Call, ...], options: dict[str, Any]
    ) -> Sweep | Interleavings:
        if not options.get("world"):
            raise ProjectError(
                f"{instrument} needs world=: what an outcome is judged by.",
                attempt="world=checks.world, a function that returns a dict of counts",
            )
        named = {
            name: Named.of(name, value) if name in FUNCTIONS and value else value
            for name, value in options.items()
        }
        found = self.find(Request(instrument, calls, named))
        result: Sweep | Interleavings = pickle.loads(found.packed)  # noqa: S301 - from the process that we started
        return result

    def close(self) -> None:
        """End it with all it started; returns when nothing is left."""
        self._link.close()
        try:
            # In the middle of an answer it does not hear that nobody waits for it.
            if self._busy:
                self._process.terminate()
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self._process.kill()
            self._process.wait()
        # Whatever it could not end itself is its reaper's.
        with suppress(WaitTimeout):
            wait_until(
                lambda: not (self._folder and Path(self._folder).exists()),
                timeout=PATIENCE,
                what="the services to end",
            )

    def __enter__(self) -> Self:
        """The open project."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()
