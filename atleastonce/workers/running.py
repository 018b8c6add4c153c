"""Which attempt the code that is running belongs to."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    from atleastonce.workers.points import Point


class Watcher(Protocol):
    """Who is told of an attempt's points: a recorder, or one who steps it.

    Attributes:
        body: True while the task's function runs; nothing is told otherwise.
        root: the code of the function that Celery calls.
        files: whose lines are points.
    """

    body: bool
    root: CodeType
    files: frozenset[str]

    def line(self, frame: FrameType, line: int, left: int) -> None:
        """The next thing that *frame* does is *line*; *left* has just run."""

    def left(self, frame: FrameType, left: int) -> None:
        """*frame*, which is not the root's, returns; its last line was *left*."""

    def returned(self, frame: FrameType, text: str, left: int) -> None:
        """The root's *frame* returns, or raises as *text* says."""

    def boundary(self, point: Point, lose: Callable[[], Exception]) -> None:
        """A moment of an effect boundary was reached; may raise what *lose* returns."""


@dataclass(frozen=True)
class Attempt:
    """One execution of a message, from ``task_prerun`` to ``task_postrun``.

    Attributes:
        message: the task id.
        number: which execution, from 1.
        recorder: is told its points; None when the message carries no plan.
    """

    message: str
    number: int
    recorder: Watcher | None = None


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


def watcher() -> Watcher | None:
    """Who is told what this thread does now, if anybody."""
    attempt = current()
    found = attempt.recorder if attempt else None
    return found if found and found.body else None
