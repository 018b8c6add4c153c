"""Which attempt the code that is running belongs to."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atleastonce.workers.points import Recorder


@dataclass(frozen=True)
class Attempt:
    """One execution of a message, from ``task_prerun`` to ``task_postrun``.

    Attributes:
        message: the task id.
        number: which execution, from 1.
        recorder: records its points; None when the message carries no plan.
    """

    message: str
    number: int
    recorder: Recorder | None = None


_running: dict[int, Attempt] = {}


def enter(attempt: Attempt) -> None:
    """*attempt* runs in this thread from now on."""
    _running[threading.get_ident()] = attempt


def leave() -> Attempt | None:
    """The attempt of this thread is over; returns it."""
    return _running.pop(threading.get_ident(), None)


def current() -> Attempt | None:
    """The attempt that this thread works for.

    A thread that a task started is found where it is the only task of its process, so
    in the pools prefork and solo; with several at once its effects belong to none.
    """
    mine = _running.get(threading.get_ident())
    if mine:
        return mine
    every = list(_running.values())
    return every[0] if len(every) == 1 else None
