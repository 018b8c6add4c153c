"""Who this worker is: its name on the timeline, its lab's log and folder."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from atleastonce.eventlog import EventLog
from atleastonce.settings import Settings


@dataclass(frozen=True)
class Lane:
    """One worker's place in its lab.

    Attributes:
        name: such as ``w1``.
        log: the lab's file of events.
        folder: the lab's folder.
    """

    name: str
    log: EventLog
    folder: Path


@functools.cache
def lane() -> Lane:
    """This worker's lane.

    Raises:
        SettingsError: this process belongs to no lab.
    """
    settings = Settings.from_env()
    addresses = settings.addresses()
    name = settings.worker or "w0"
    return Lane(name, EventLog(addresses.events), Path(addresses.folder))
