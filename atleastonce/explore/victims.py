"""The workers that a sweep may kill, and those that take their place."""

from __future__ import annotations

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
        """End what runs, and start anew; all are ready on return."""
        self.fleet.clear()
        self.fleet.start(self._count, **self._how)

    def dead(self) -> list[Worker]:
        """Those that have ended since the last look."""
        self.fleet.pump()
        return [worker for worker in self.fleet.workers if not worker.alive]

    def replace(self) -> list[Worker]:
        """Start a new one for each that is dead, without waiting; returns the dead."""
        dead = self.dead()
        for worker in dead:
            self.fleet.start(wait=False, **self._how)
            self.fleet.workers.remove(worker)
        return dead

    def abandoned(self) -> set[str]:
        """The messages that were delivered and are not acked; all are idle."""
        return set(self.fleet.broker.unacked().values())

    def redeliver(self, messages: set[str]) -> None:
        """As the broker does when the visibility timeout is over."""
        for message in sorted(messages):
            # A worker may have acked it just before it died.
            with suppress(FaultError):
                redeliver(self.fleet.addresses, message)

    def log(self) -> str:
        """The last lines of each."""
        return "\n".join(worker.log(8) for worker in self.fleet.workers)

    def end(self) -> None:
        """End them all."""
        self.fleet.clear()
