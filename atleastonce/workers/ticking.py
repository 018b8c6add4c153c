"""Runs in the process of a ``Beat``: Celery's scheduler, on a clock that is set for it.

The scheduler, its entries, its file and its ``tick`` are Celery's. Only the clock is
ours: it stands still between two ticks, so that a night takes as long as its messages.
A keyword argument ``slot`` of an entry is filled in: the minute that the run is due
for, as ``2026-11-30T12:05``. Celery's own beat does not tell a run that.
"""

from __future__ import annotations

import importlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celery import signals
from celery.beat import PersistentScheduler
from celery.schedules import crontab

from atleastonce.eventlog import EventLog
from atleastonce.settings import Settings
from atleastonce.workers import link
from atleastonce.workers.wording import called

if TYPE_CHECKING:
    import socket

    from celery import Celery

SLOT = "slot"


class Scheduler(PersistentScheduler):
    """Celery's scheduler, noting what it sends, and telling runs their slot."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Celery's own
        self.sent: list[str] = []
        super().__init__(*args, **kwargs)

    def apply_async(self, entry: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Celery's own
        """Send what is due."""
        if SLOT in entry.kwargs:
            entry.kwargs = entry.kwargs | {SLOT: f"{datetime.now(UTC):%Y-%m-%dT%H:%M}"}
        self.sent.append(entry.name)
        return super().apply_async(entry, **kwargs)


def serve(
    at: str, app_name: str, entries: dict[str, Any], include: list[str], start: float
) -> None:
    """Be the beat that listens on the socket *at*, until its other end is closed."""
    ours, name = link.connect(Path(at)), Path(at).stem
    clock = importlib.import_module("time_machine").travel(_moment(start), tick=False)
    traveller = clock.start()
    try:
        scheduler = _scheduler(at, _app(app_name, include), entries)
    except Exception as error:  # noqa: BLE001 - told to the notebook, which raises
        link.send(ours, error=f"{type(error).__name__}: {error}")
        return
    _record(name)
    link.send(ours, error="")
    _tick_on(ours, scheduler, traveller)
    scheduler.close()


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _app(name: str, include: list[str]) -> Celery:
    module, _, member = name.partition(":")
    app: Celery = getattr(importlib.import_module(module), member or "app")
    for task_module in include:
        app.loader.import_task_module(task_module)
    return app


def _scheduler(at: str, app: Celery, entries: dict[str, Any]) -> Scheduler:
    app.conf.beat_schedule = {key: _read(entry) for key, entry in entries.items()}
    return Scheduler(app, schedule_filename=str(Path(at).with_suffix(".schedule")))


def _read(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry as a project's settings have it; a crontab came as its text."""
    schedule = entry["schedule"]
    if isinstance(schedule, str):
        entry |= {"schedule": crontab.from_string(schedule)}
    return entry


def _record(name: str) -> None:
    events = EventLog(Settings.from_env().addresses().events)

    def published(headers: dict[str, Any], **_: object) -> None:
        events.write(name, "publish", called(headers), message=headers["id"])

    signals.before_task_publish.connect(published, weak=False)


def _tick_on(ours: socket.socket, scheduler: Scheduler, traveller: Any) -> None:  # noqa: ANN401 - a Coordinates of time-machine
    while order := link.receive(ours):
        traveller.move_to(_moment(order["now"]))
        # As celery.beat.Service does it: one entry a tick, until none is due.
        while scheduler.tick() == 0:
            pass
        scheduler.sync()
        sent, scheduler.sent = scheduler.sent, []
        link.send(ours, sent=sent)
