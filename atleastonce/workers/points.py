"""Points of one attempt, numbered as they are reached, and the strikes at them."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.workers import strikes
from atleastonce.workers.plan import BEFORE

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    from atleastonce.workers.plan import Plan

#: SQL statements that nobody else can notice: no lock, no snapshot, no row.
PRIVATE = frozenset({"begin", "savepoint", "release", "set", "show"})


@dataclass(frozen=True)
class Point:
    """One place in time where an attempt may be struck.

    Attributes:
        number: from 0 within the attempt; -1 where a line was left and none follows.
        kind: ``line``, ``returned``, ``stored``, or a boundary's: ``http``, ``sql``,
            ``commit``, ``rollback``, ``redis``, ``mail``.
        moment: ``before``, ``done`` or ``after``.
        name: a boundary's name for people: ``charge``, ``insert``, ``set``.
        text: what it does, on one line.
        file, line, function: the learner's line it belongs to.
        depth: how many calls below the task's own function, from 0.
        instruction: offset of the bytecode; tells two events of one line apart.
        left: the line of the same frame that has just run; 0 for the first.
        main: False in a thread that the task started.
    """

    number: int
    kind: str
    moment: str = BEFORE
    name: str = ""
    text: str = ""
    file: str = ""
    line: int = 0
    function: str = ""
    depth: int = 0
    instruction: int = -1
    left: int = 0
    main: bool = True


class Recorder:
    """Number the points of one attempt, append each to a file, and strike.

    Args:
        plan: the message's plan.
        message: its task id.
        attempt: which attempt this is, from 1.
        root: the code of the function that Celery calls.
        files: whose lines are points.
    """

    def __init__(
        self,
        plan: Plan,
        message: str,
        attempt: int,
        root: CodeType,
        files: frozenset[str],
    ) -> None:
        self.plan, self.message, self.attempt = plan, message, attempt
        self.root, self.files = root, files
        self.body = True  # False once the task's function has returned
        self._here = threading.get_ident()
        self._count = 0
        self._last = Point(-1, "line")
        self._met: Counter[str] = Counter()
        # A soft time limit may raise while it is held, and its handler may reach a
        # boundary in the same thread.
        self._lock = threading.RLock()
        self._fd = _open(Path(plan.folder), f"trace.{message}.{attempt}")

    def line(self, frame: FrameType, line: int, left: int) -> None:
        """The next thing that *frame* does is *line*."""
        self._reach(replace(self._at(frame, line), left=left))

    def left(self, frame: FrameType, left: int) -> None:
        """*frame* returns; its last line was *left*. Not a numbered point."""
        self._strike(replace(self._at(frame, left), number=-1, line=0, left=left))

    def returned(self, frame: FrameType, text: str, left: int) -> None:
        """The task's own function is done: the result is not stored yet."""
        point = self._at(frame, frame.f_lineno)
        self._reach(replace(point, kind="returned", text=text, left=left))
        self.body = False

    def stored(self) -> None:
        """The result is stored; the message is not acknowledged yet, if it is late."""
        self.body = False
        self._reach(replace(self._last, kind="stored", moment=BEFORE, left=0))

    def boundary(self, point: Point, lose: Callable[[], Exception]) -> None:
        """A moment of an effect boundary was reached.

        Args:
            point: its kind, moment, name and text.
            lose: breaks the connection, and returns the client library's own error.

        Raises:
            Exception: what *lose* returned, when a lost reply is struck here.
        """
        frame = sys._getframe(1)  # noqa: SLF001 - no other way to a frame
        here = threading.get_ident() == self._here
        # Celery's own use of Redis, before and after the body, is none of its points.
        if here and not self._in_body(frame):
            return
        learners = self._learners(frame)
        where = self._at(learners, learners.f_lineno) if learners else self._last
        found = replace(
            where,
            kind=point.kind,
            moment=point.moment,
            name=point.name,
            text=point.text,
            left=0,
            main=here,
        )
        self._reach(found, lose)

    def close(self) -> None:
        """The attempt is over."""
        os.close(self._fd)

    def _in_body(self, frame: FrameType | None) -> bool:
        while frame and frame.f_code is not self.root:
            frame = frame.f_back
        return frame is not None

    def _learners(self, frame: FrameType | None) -> FrameType | None:
        while frame and frame.f_code.co_filename not in self.files:
            frame = frame.f_back
        return frame

    def _at(self, frame: FrameType, line: int) -> Point:
        code = frame.f_code
        return Point(
            number=0,
            kind="line",
            file=code.co_filename,
            line=line,
            function=code.co_name,
            depth=self._depth(frame),
            instruction=frame.f_lasti,
            main=threading.get_ident() == self._here,
        )

    def _depth(self, frame: FrameType) -> int:
        depth, above = 0, frame
        while above.f_code is not self.root and above.f_back:
            above = above.f_back
            depth += above.f_code.co_filename in self.files or above.f_code is self.root
        return depth

    def _reach(self, point: Point, lose: Callable[[], Exception] | None = None) -> None:
        with self._lock:
            numbered = replace(point, number=self._count)
            self._count += 1
            if point.kind == "line":
                self._last = numbered
            os.write(self._fd, json.dumps(asdict(numbered)).encode() + b"\n")
            self._strike(numbered, lose)

    def _strike(
        self, point: Point, lose: Callable[[], Exception] | None = None
    ) -> None:
        for strike in self.plan.strikes:
            if strike.attempt not in (0, self.attempt) or not strike.at.matches(point):
                continue
            self._met[strike.id] += 1
            if self._met[strike.id] == strike.at.nth:
                strikes.fire(self, strike, point, lose)


def _open(folder: Path, name: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    return os.open(folder / name, flags, 0o600)
