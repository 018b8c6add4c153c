"""The producer's half of the story: every message that this process publishes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery import signals

from atleastonce.workers.wording import called, due

if TYPE_CHECKING:
    from atleastonce.eventlog import EventLog


class Producer:
    """Write ``publish`` on lane ``producer``, before the message is sent.

    Args:
        events: the lab's file of events.
    """

    def __init__(self, events: EventLog) -> None:
        self._events = events
        signals.before_task_publish.connect(self._published, weak=False)

    def close(self) -> None:
        """Write no more."""
        signals.before_task_publish.disconnect(self._published)

    def _published(self, headers: dict[str, Any], **_: object) -> None:
        told = {"message": headers["id"], "data": due(headers)}
        self._events.write("producer", "publish", called(headers), **told)
