"""The workers that a sweep may kill, and those that take their place."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from atleastonce.errors import ExploreError, FaultError
from atleastonce.workers.redelivery import redeliver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atleastonce.workers.fleet import Fleet
    from atleastonce.workers.worker import Worker

#: Workers, and processes in the pool of each, by what dies. While a pool process is
#: forked again, the other one takes the message; while a worker starts, the stand-by.
_CREWS = {"child": (1, 2), "worker": (2, 1)}


class Victims:
    """Start workers in *fleet*, which no others may use meanwhile.

    Args:
        fleet: ends its other workers, and runs ours.
        kill: what dies, ``child`` or ``worker``.
        include: modules with tasks.
        settings: Celery settings of the workers.

    Raises:
        ExploreError: there is no such victim.
    """

    def __init__(
        self,
        fleet: Fleet,
        kill: str,
        include: Sequence[str],
        settings: Mapping[str, object],
    ) -> None:
        if kill not in _CREWS:
            raise ExploreError(
                f"There is no {kill!r} to kill.", attempt='kill="child" or "worker"'
            )
        self.fleet = fleet
        self._count, concurrency = _CREWS[kill]
        self._how: dict[str, Any] = {
            **settings,
            "include": tuple(include),
            "concurrency": concurrency,
        }

    def start(self) -> None:
        """End what runs, throw away what it left, and start anew; ready on return."""
        self.end()
        self.fleet.broker.empty()
        self.fleet.start(self._count, **self._how)

    def dead(self) -> list[Worker]:
        """Those that have ended since the last look."""
        self.fleet.pump()
        return [worker for worker in self.fleet.workers if not worker.alive]

    def bury(self) -> list[Worker]:
        """Forget the dead, and start another where none is left; returns the dead."""
        dead = self.dead()
        for worker in dead:
            self.fleet.workers.remove(worker)
        if not self.fleet.workers:
            self.refill(1)
        return dead

    def refill(self, count: int = 0) -> None:
        """Start those that are missing of *count*, by default of all; without waiting.

        Best while nothing else is to be done: a start costs more than an attempt.
        """
        for _ in range((count or self._count) - len(self.fleet.workers)):
            self.fleet.start(wait=False, **self._how)

    def abandoned(self) -> set[str]:
        """The messages that the broker keeps for nobody; all workers are idle."""
        return set(self.fleet.broker.backlog().kept.values())

    def hold(self) -> None:
        """Stop the main processes: what is published meanwhile is not taken."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """End that."""
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        for worker in self.fleet.workers:
            if worker.alive:
                # It may end between the look and the signal.
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, number)

    def redeliver(self, messages: set[str]) -> None:
        """As the broker does when the visibility timeout is over."""
        at, queues = self.fleet.addresses, self.fleet.project.queues
        for message in sorted(messages):
            # A worker may have acked it just before it died.
            with suppress(FaultError):
                redeliver(at, message, queues)

    def log(self) -> str:
        """The last lines of each."""
        return "\n".join(worker.log(8) for worker in self.fleet.workers)

    def end(self) -> None:
        """End them all."""
        self.fleet.clear()
