"""One attempt of a callable, in a process that the fork server made for it."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atleastonce.settings import export
from atleastonce.workers import (
    attempts,
    boundaries,
    databases,
    lines,
    reporter,
    running,
)
from atleastonce.workers.lane import lane
from atleastonce.workers.points import Recorder

if TYPE_CHECKING:
    from atleastonce.explore.copies import Copy

#: What it is called on the timeline.
LANE = "process"


def serve(order: str) -> None:
    """Make the call that the file *order* describes; the process ends with it.

    Raises:
        BaseException: what the call raises: the process ends with a status, and the
            traceback stands in its log.
    """
    found = pickle.loads(Path(order).read_bytes())  # noqa: S301 - from the sweep that started us
    export(ATLEASTONCE_WORKER=LANE)
    # Ours come first: the lab's folder of tasks is among them.
    sys.path[:] = dict.fromkeys([*sys.path, *found["path"]])
    copy: Copy = pickle.loads(found["copy"])  # noqa: S301 - likewise
    boundaries.install()
    reporter.connect()
    call = copy.job()
    recorder = _recorder(found, copy, call)
    databases.connect()
    try:
        lines.start(recorder)
        call()
    finally:
        lines.stop()
        running.leave()


def _recorder(found: dict[str, Any], copy: Copy, call: Any) -> Recorder:  # noqa: ANN401 - a partial
    plan, message = found["plan"], found["message"]
    number = attempts.begin(lane().folder, message)
    reporter.write("start", message=message, attempt=number)
    files = frozenset(plan.files or [copy.file])
    recorder = Recorder(plan, message, number, lines.root_code(call.func), files)
    running.enter(running.Attempt(message, number, recorder))
    return recorder
