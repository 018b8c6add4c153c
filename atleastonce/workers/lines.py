"""Lines of the learner's files as points, through ``sys.settrace``.

``sys.settrace`` is per thread; ``threading.settrace`` covers threads that the task
starts, where it is the only task of its process (pools prefork and solo). A debugger or
a coverage tool in the worker would be pushed aside. When a strike raises at a line,
CPython switches tracing off in that thread: the rest of the attempt is recorded at
effect boundaries only.
"""

from __future__ import annotations

import inspect
import sys
import threading
from typing import TYPE_CHECKING, Any

from atleastonce.workers.folding import Folds, folded_frame

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    from atleastonce.workers.running import Watcher

    Tracer = Callable[[FrameType, str, Any], Any]


def root_code(run: Callable[..., Any]) -> CodeType:
    """The code that Celery calls for a task: its outermost decorator's, if any."""
    found: CodeType = getattr(run, "__func__", run).__code__
    return found


def learners_file(run: Callable[..., Any]) -> str:
    """The file of the function below every decorator."""
    inner = inspect.unwrap(run)
    found: str = getattr(inner, "__func__", inner).__code__.co_filename
    return found


def start(recorder: Watcher) -> None:
    """Trace this thread, and those it starts, until ``stop``."""

    def called(frame: FrameType, _event: str, _arg: object) -> Tracer | None:
        code = frame.f_code
        known = code.co_filename in recorder.files
        if not recorder.body or not (known or code is recorder.root):
            return None
        if folded_frame(code):
            return None
        return Visit(recorder, code, lines=known).event

    threading.settrace(called)
    sys.settrace(called)


def stop() -> None:
    """Trace no longer."""
    sys.settrace(None)
    threading.settrace(None)


class Visit:
    """One call of one function of the learner's."""

    def __init__(self, recorder: Watcher, code: CodeType, *, lines: bool) -> None:
        self.recorder, self.lines = recorder, lines
        self.folds = Folds(code)
        self.root = code is recorder.root
        self.last = 0
        self.raised = ""

    def event(self, frame: FrameType, event: str, arg: Any) -> Tracer:  # noqa: ANN401 - what settrace passes
        """The local trace function."""
        if event == "line":
            self.raised = ""
            line = self.folds.line(frame) if self.lines else 0
            if line and self.recorder.body:
                left, self.last = self.last, line
                self.recorder.line(frame, line, left)
        elif event == "exception":
            self.raised = f"raised {arg[0].__name__}"
        elif event == "return":
            self._returned(frame)
        return self.event

    def _returned(self, frame: FrameType) -> None:
        if self.root and self.recorder.body:
            self.recorder.returned(frame, self.raised, self.last)
        elif self.lines and self.recorder.body:
            self.recorder.left(frame, self.last)
