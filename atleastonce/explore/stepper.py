"""Inside a copy's process: stop before every point, and go on when told to."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from atleastonce.explore import wire
from atleastonce.explore.sweep_points import chatter
from atleastonce.waiting import pause
from atleastonce.workers.plan import BEFORE
from atleastonce.workers.points import PRIVATE
from atleastonce.workers.running import current

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import CodeType, FrameType

    from atleastonce.explore.deadlocks import Deadlocks
    from atleastonce.explore.threads import Turns
    from atleastonce.workers.points import Point


class Stepper:
    """Takes the recorder's place in ``workers.boundaries`` and ``workers.lines``.

    Args:
        link: to the search.
        deadlocks: told before every step whether another copy waits for a lock.
        file: the learner's file.
        root: the code of the function that is called.
        lines: stop before lines too.
    """

    def __init__(
        self,
        link: socket.socket,
        deadlocks: Deadlocks,
        file: str,
        root: CodeType,
        *,
        lines: bool,
    ) -> None:
        self.body = False  # True while the copy's function runs
        self.files, self.root, self.lines = frozenset({file}), root, lines
        self._link, self._deadlocks = link, deadlocks
        # Of a copy's threads one stands before the search at a time.
        self._turn = threading.RLock()

    def boundary(self, point: Point, _lose: Callable[[], Exception]) -> None:
        """An effect boundary was reached; called by ``workers.effects``."""
        # They commute with everything: stopping there would only repeat schedules.
        private = point.kind == "sql" and point.name in PRIVATE
        private = private or (chatter(point) and _by_kombu())
        if self.body and point.moment == BEFORE and not private:
            named = {"kind": point.kind, "name": point.name, "text": point.text}
            self._stop("at", **named, **self._where())

    def line(self, frame: FrameType, line: int, _left: int) -> None:
        """A line is about to run; called by ``workers.lines``."""
        if self.lines:
            self._stop("at", kind="line", **_place(frame) | {"line": line})

    def left(self, frame: FrameType, left: int) -> None:
        """A function returns: no point."""

    def returned(self, frame: FrameType, text: str, left: int) -> None:
        """The copy's function returns: no point."""

    def sleep(self, seconds: float) -> None:
        """``time.sleep`` in a copy: the search says whether time must really pass."""
        if self._stop("sleep", seconds=seconds, **self._where()) == wire.REST:
            pause(seconds)

    def _stop(self, event: str, **more: object) -> bytes:
        with self._turn:
            wire.say(self._link, event, **more)
            order = self._link.recv(1)
            if not order:
                raise SystemExit  # the search is gone
            self._deadlocks.look(at_once=order == wire.WATCH)
            return order

    def _where(self) -> dict[str, Any]:
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - no other way to a frame
        while frame and frame.f_code.co_filename not in self.files:
            frame = frame.f_back
        return _place(frame) if frame else {}


def _by_kombu() -> bool:
    """True if kombu asks, and not the learner's own client."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - no other way to a frame
    while frame and not frame.f_globals.get("__name__", "").startswith("kombu."):
        frame = frame.f_back
    return frame is not None


def _place(frame: FrameType) -> dict[str, Any]:
    code = frame.f_code
    return {
        "file": code.co_filename,
        "line": frame.f_lineno,
        "function": code.co_name,
    }


def catch_sleeps(turns: Turns) -> None:
    """Make ``time.sleep`` in a copy a point; elsewhere it stays what it is."""
    really = time.sleep

    def sleep(seconds: float) -> None:
        attempt = current()
        stepper: Any = attempt.recorder if attempt else None
        if stepper and stepper.body:
            with turns.waiting():
                pass  # other threads of the copy have a turn
            stepper.sleep(seconds)
        else:
            really(seconds)

    time.sleep = sleep  # type: ignore[assignment]  # it takes a float at least
