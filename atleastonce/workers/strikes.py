"""Faults at a point, from inside: recorded first, then carried out, each only once."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.workers.lane import lane

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.workers.plan import Strike
    from atleastonce.workers.points import Point, Recorder


class Main:
    """The worker's main process; its pool children inherit the number."""

    pid = 0


def fire(
    recorder: Recorder,
    strike: Strike,
    point: Point,
    lose: Callable[[], Exception] | None,
) -> None:
    """Carry *strike* out at *point*, unless it has struck already.

    Raises:
        Exception: what *lose* returned, for a lost reply.
    """
    if not _first(recorder, strike, point):
        return
    lane().log.write(
        lane().name,
        "fault",
        strike.text,
        message=recorder.message,
        attempt=recorder.attempt,
        data={"what": strike.what, "id": strike.id},
    )
    if strike.action in ("lose reply", "cut"):
        if lose is not None:
            raise lose()
        return
    _signal(strike)


def _first(recorder: Recorder, strike: Strike, point: Point) -> bool:
    """True for the one process that may carry it out; the file says where it did."""
    path = Path(recorder.plan.folder, f"struck.{strike.id}")
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    where = {"point": asdict(point), "attempt": recorder.attempt, "worker": lane().name}
    where |= {"message": recorder.message, "pid": os.getpid(), "main": Main.pid}
    os.write(fd, json.dumps(where).encode())
    os.close(fd)
    return True


def _signal(strike: Strike) -> None:
    child, main = os.getpid(), Main.pid or os.getpid()
    match strike.action, strike.what:
        case "kill", "worker":
            # The main process first: it must not see its child die.
            os.kill(main, signal.SIGKILL)
            os.kill(child, signal.SIGKILL)
        case "kill", _:
            os.kill(child, signal.SIGKILL)
        case "freeze", "worker":
            os.kill(main, signal.SIGSTOP)
            os.kill(child, signal.SIGSTOP)
        case "freeze", _:
            os.kill(child, signal.SIGSTOP)
        case "soft limit", _:
            # What billiard sends for a soft time limit; its handler raises here.
            os.kill(child, signal.SIGUSR1)
        case "term", _:
            os.kill(main, signal.SIGTERM)
