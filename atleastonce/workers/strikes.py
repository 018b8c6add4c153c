"""Faults at a point, from inside: recorded first, then carried out, each only once."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from atleastonce.workers.lane import lane

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.workers.plan import Plan, Strike
    from atleastonce.workers.points import Point


class Main:
    """The worker's main process; its pool children inherit the number."""

    pid = 0


class Carried(Protocol):
    """A plan where its message has come to.

    Attributes:
        plan: what strikes.
        message: its task id.
        attempt: from 1; 0 before the first.
    """

    plan: Plan
    message: str
    attempt: int


def fire(
    at: Carried,
    strike: Strike,
    point: Point,
    lose: Callable[[], Exception] | None,
) -> None:
    """Carry *strike* out at *point*, unless it has struck already.

    Raises:
        Exception: what *lose* returned, for a lost reply.
    """
    if not _first(at, strike, point):
        return
    lane().log.write(
        lane().name,
        "fault",
        strike.text,
        message=at.message,
        attempt=at.attempt,
        data={"what": strike.what, "id": strike.id},
    )
    if strike.action in ("lose reply", "cut"):
        if lose is not None:
            raise lose()
        return
    _signal(strike)


def _first(at: Carried, strike: Strike, point: Point) -> bool:
    """True for the one process that may carry it out; the file says where it did."""
    path = Path(at.plan.folder, f"struck.{strike.id}")
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    where = {"point": asdict(point), "attempt": at.attempt, "worker": lane().name}
    where |= {"message": at.message, "pid": os.getpid(), "main": Main.pid}
    os.write(fd, json.dumps(where).encode())
    os.close(fd)
    return True


def _signal(strike: Strike) -> None:
    child, main = os.getpid(), Main.pid or os.getpid()
    # The main process first: it must not see its child die. And each process once: what
    # is thawed would freeze again.
    both = dict.fromkeys((main, child)) if strike.what == "worker" else (child,)
    match strike.action:
        case "kill":
            for pid in both:
                os.kill(pid, signal.SIGKILL)
        case "freeze":
            for pid in both:
                os.kill(pid, signal.SIGSTOP)
        case "soft limit":
            # What billiard sends for a soft time limit; its handler raises here.
            os.kill(child, signal.SIGUSR1)
        case "term":
            os.kill(main, signal.SIGTERM)
