"""Two ends of a socket in the lab's folder; a message is one packet of JSON.

A worker's main process connects to ``fleet.sock`` when it is ready, and answers
questions from inside its own event loop; a copy of a search has one of its own.
"""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

from atleastonce.services.sockets import short

if TYPE_CHECKING:
    from pathlib import Path

NAME = "fleet.sock"
_LARGEST = 1 << 20


def listen(at: Path) -> socket.socket:
    """The notebook's end, which others connect to."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with short(at) as path:
        listener.bind(path)
    listener.listen(64)
    return listener


def connect(at: Path) -> socket.socket:
    """The end of a worker, or of a copy."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with short(at) as path:
        link.connect(path)
    return link


def send(link: socket.socket, **message: object) -> None:
    """Send one message."""
    link.send(json.dumps(message).encode())


def ended(link: socket.socket) -> bool:
    """True if the other end is closed and has left nothing to read."""
    try:
        return not link.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def receive(link: socket.socket) -> dict[str, Any] | None:
    """The next message; None at the end of the link."""
    try:
        got = link.recv(_LARGEST)
    except ConnectionResetError:
        return None
    if not got:
        return None
    found: dict[str, Any] = json.loads(got)
    return found
