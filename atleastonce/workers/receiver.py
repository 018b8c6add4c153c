"""Celery's request for one delivered message, telling the log what became of it.

Celery documents ``Task.Request`` as the place for one's own class; no method changes
what it does. ``requeue`` and ``reject`` are written first: another worker may deliver
the message before the broker has answered us.
"""

from __future__ import annotations

import os
from typing import Any

from celery.worker.request import Request
from kombu.asynchronous import get_event_loop

from atleastonce.workers import attempts
from atleastonce.workers.lane import lane
from atleastonce.workers.plan import HEADER
from atleastonce.workers.reporter import write


class Receiver(Request):
    """One delivery of one message to this worker, in its main process."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Celery's own
        super().__init__(*args, **kwargs)
        again = bool(self.delivery_info.get("redelivered"))
        write("deliver", message=self.id, data={"redelivered": again})

    def on_accepted(self, pid: int, time_accepted: float) -> None:
        """A pool process has begun it."""
        super().on_accepted(pid, time_accepted)
        if HEADER in self.request_dict:
            self._tell_accepted(pid)

    def _tell_accepted(self, pid: int) -> None:
        hub = get_event_loop()

        def tick() -> None:
            if hub:
                hub.on_tick.discard(tick)
            attempts.accepted(lane().folder, self.id, pid)

        if hub:
            # A tick comes after the callbacks of its turn, the early ack among them.
            hub.on_tick.add(tick)
        else:
            tick()

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
