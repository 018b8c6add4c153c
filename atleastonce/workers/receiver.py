"""Celery's request for one delivered message, telling the log what became of it.

Celery documents ``Task.Request`` as the place for one's own class; no method changes
what it does. ``requeue`` and ``reject`` are written first: another worker may deliver
the message before the broker has answered us.
"""

from __future__ import annotations

import os
from typing import Any

from celery.worker.request import Request

from atleastonce.workers import attempts
from atleastonce.workers.delivery import delivered
from atleastonce.workers.lane import lane
from atleastonce.workers.plan import HEADER, Plan
from atleastonce.workers.reporter import write

#: The worker's loop, if it has one; kombu's own is None once the broker was lost.
loop: list[Any] = []
_untold: list[tuple[str, int]] = []


def accepted(message: str, pid: int) -> None:
    """Let the pool process *pid* know soon that we know of its attempt."""
    if loop:
        # A tick comes after the callbacks of its turn, the early ack among them.
        _untold.append((message, pid))
        loop[0].on_tick.add(tell_accepted)
    else:
        attempts.accepted(lane().folder, message, pid)


def tell_accepted() -> None:
    """Let all those pool processes know now."""
    for hub in loop:
        hub.on_tick.discard(tell_accepted)
    while _untold:
        attempts.accepted(lane().folder, *_untold.pop(0))


class Receiver(Request):
    """One delivery of one message to this worker, in its main process."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Celery's own
        super().__init__(*args, **kwargs)
        again = bool(self.delivery_info.get("redelivered"))
        write("deliver", message=self.id, data={"redelivered": again})
        if found := self.request_dict.get(HEADER):
            begun = attempts.last_of(lane().folder, self.id)
            delivered(Plan.from_json(found), self.id, begun)

    def on_accepted(self, pid: int, time_accepted: float) -> None:
        """A pool process has begun it."""
        super().on_accepted(pid, time_accepted)
        if HEADER in self.request_dict:
            accepted(self.id, pid)

    def acknowledge(self) -> None:
        """Tell the broker that the message is dealt with."""
        if self.acknowledged:
            return
        super().acknowledge()
        early = not self.task.acks_late
        number = 0 if early else self._attempt()
        write("ack", message=self.id, attempt=number, data={"early": early})

    def reject(self, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 - Celery's own signature
        """Tell the broker that the message goes back, or away."""
        if self.acknowledged:
            return
        kind = "requeue" if requeue else "reject"
        write(kind, message=self.id, attempt=self._attempt())
        super().reject(requeue=requeue)

    def _attempt(self) -> int:
        # A pool without processes passes on some number of its own.
        pids = (self.worker_pid, os.getpid())
        found = (attempts.last_of(lane().folder, self.id, pid or 0) for pid in pids)
        return next(filter(None, found), 0)
