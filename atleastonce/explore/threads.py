"""Threads of a copy run one at a time, so that two runs of a schedule are the same.

A thread that the copy starts waits for its turn; who runs goes on until it ends or
waits for another thread (``join``, and what is built on ``Condition``: events, queues,
futures and executors). Their order among each other is therefore fixed, and not
explored. Not known as a wait: a plain ``Lock`` whose holder waits for another thread.
"""

from __future__ import annotations

import _thread
import functools
import queue
import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Seconds in which a thread that was just woken comes back into line.
SOON = 0.05


class Turns:
    """Whose turn it is; the others stand in line, in the order in which they came."""

    def __init__(self) -> None:
        # Not of ``threading``: its own waits are the ones that are watched.
        self._guard = _thread.allocate_lock()
        self._line: deque[_thread.LockType] = deque()
        self._taken = False
        self._members: set[int] = set()
        self._idle: set[int] = set()

    @property
    def member(self) -> bool:
        """True in a thread of the copy."""
        return threading.get_ident() in self._members

    @contextmanager
    def membership(self) -> Iterator[None]:
        """This thread belongs to the copy, and runs when it is its turn."""
        self.take()
        self._members.add(threading.get_ident())
        try:
            yield
        finally:
            self._members.discard(threading.get_ident())
            self.give()

    def take(self) -> None:
        """Return when it is this thread's turn."""
        mine = _thread.allocate_lock()
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            mine.acquire()
            self._line.append(mine)
        mine.acquire()

    def give(self) -> None:
        """It is the next one's turn."""
        with self._guard:
            if self._line:
                self._line.popleft().release()
            else:
                self._taken = False

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """This thread waits for another one inside this block: others have a turn."""
        if not self.member:
            yield
            return
        me = threading.get_ident()
        self._members.discard(me)
        self._idle.add(me)
        self.give()
        try:
            yield
        finally:
            self.take()
            self._idle.discard(me)
            self._members.add(me)

    def finish(self, threads: Iterable[threading.Thread]) -> None:
        """Let *threads* end, but those that wait for work, such as an executor's."""
        for thread in threads:
            thread.join(SOON)
            if thread.ident not in self._idle:
                thread.join()

    def install(self) -> None:
        """Watch how threads of this process start, and how they wait for each other."""
        threading.Thread.start = self._starting(threading.Thread.start)  # type: ignore[method-assign]
        threading.Thread.join = self._waiting(threading.Thread.join)  # type: ignore[method-assign]
        # Condition.wait makes one per wait. Not that method itself: on its way out it
        # takes the condition's lock, for which nobody may wait without a turn.
        threading._allocate_lock = lambda: Waiter(self)  # type: ignore[attr-defined]  # noqa: SLF001
        # An executor's idle threads wait in this one, and C code can't be watched.
        queue.SimpleQueue = queue._PySimpleQueue  # type: ignore[attr-defined,misc]  # noqa: SLF001

    def _starting(self, start: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(start)
        def started(thread: threading.Thread) -> None:
            if not self.member:
                start(thread)
                return
            run = thread.run

            def in_turn() -> None:
                with self.membership():
                    run()

            thread.run = in_turn  # type: ignore[method-assign]
            me = threading.get_ident()
            # ``start`` waits until the thread lives, not until it has its turn.
            self._members.discard(me)
            try:
                start(thread)
            finally:
                self._members.add(me)

        return started

    def _waiting(self, wait: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(wait)
        def waited(*args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as it was
            with self.waiting():
                wait(*args, **kwargs)

        return waited


class Waiter:
    """The lock that a thread waits at in ``Condition.wait``."""

    def __init__(self, turns: Turns) -> None:
        self._turns, self._lock = turns, _thread.allocate_lock()
        self.release = self._lock.release

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - a lock's own signature
        """Take it; others have a turn meanwhile."""
        if self._lock.acquire(blocking=False):
            return True
        if not blocking:
            return False
        with self._turns.waiting():
            return self._lock.acquire(timeout=timeout)
