"""Between the search and the copies: small packets over a Unix socket."""

from __future__ import annotations

import json
import socket
from typing import Any

#: Orders to a copy, one byte each.
RUN, GO, WATCH, REST = b"r", b"g", b"w", b"s"
_LARGEST = 1 << 16


def listen(path: str, backlog: int) -> socket.socket:
    """The search's end."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(backlog)
    return listener


def connect(path: str) -> socket.socket:
    """A copy's end."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    link.connect(path)
    return link


def say(link: socket.socket, event: str, **more: object) -> None:
    """Send one message."""
    link.send(json.dumps({"event": event, **more}).encode())


def hear(link: socket.socket) -> dict[str, Any] | None:
    """The next message; None when the other end is gone."""
    try:
        got = link.recv(_LARGEST)
    except ConnectionResetError:
        return None
    if not got:
        return None
    found: dict[str, Any] = json.loads(got)
    return found
