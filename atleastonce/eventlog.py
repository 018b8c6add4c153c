"""One append-only file of events per lab, written by all of its processes.

A line is one ``write(2)`` to a file opened with ``O_APPEND``: it is there as soon as
the call returns, whatever kills the writer next, and lines keep the order of cause and
effect.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from atleastonce.events import Event

#: How each line begins; inside one, a text's quotes are escaped.
_START = b'{"lane": '


class EventLog:
    """Append events to *path*, and read all of them back."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def write(self, lane: str, kind: str, text: str = "", **more: Any) -> Event:  # noqa: ANN401 - the event's other fields
        """Record one event, now; *more* are fields of Event."""
        event = Event(lane, kind, text, time=time.monotonic(), **more)
        line = json.dumps(asdict(event)).encode() + b"\n"
        # Opened each time: a forked child must not depend on who opened it first.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        fd = os.open(self.path, flags, 0o666)
        try:
            _append(fd, line)
        finally:
            os.close(fd)
        return event

    def read(self, start: int = 0) -> tuple[list[Event], int]:
        """All events from byte *start* on, and the position after the last one."""
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                raw = file.read()
        except FileNotFoundError:
            return [], start
        whole = raw[: raw.rfind(b"\n") + 1]
        rows = [row for row in map(_row, whole.splitlines()) if row]
        events = [Event(**{**row, "ties": tuple(row["ties"])}) for row in rows]
        return events, start + len(whole)


def _append(fd: int, line: bytes) -> None:
    # Where the disk is full a part may fit: it is ended, and the next try raises.
    while os.write(fd, line) < len(line):
        os.write(fd, b"\n")


def _row(line: bytes) -> dict[str, Any] | None:
    """The event of a line; None for the part of one that a full disk has left."""
    # Whoever writes next may have appended to such a part.
    line = line[max(line.rfind(_START), 0) :]
    try:
        found: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError:
        if line.startswith(_START) or _START.startswith(line):
            return None
        raise
    return found
