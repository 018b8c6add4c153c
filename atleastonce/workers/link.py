"""The two ends between the notebook and each worker's main process.

A worker connects to ``fleet.sock`` in the lab's folder when it is ready, and answers
questions from inside its own event loop. A message is one packet of JSON.
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "fleet.sock"
_LARGEST = 1 << 20


def listen(folder: Path) -> socket.socket:
    """The notebook's end, which workers connect to."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with _short(folder) as path:
        listener.bind(path)
    listener.listen(64)
    return listener


def connect(folder: Path) -> socket.socket:
    """A worker's end."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with _short(folder) as path:
        link.connect(path)
    return link


@contextmanager
def _short(folder: Path) -> Iterator[str]:
    """A name for the socket that fits into 108 bytes wherever *folder* is: unix(7)."""
    fd = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}/{NAME}"
    finally:
        os.close(fd)


def send(link: socket.socket, **message: object) -> None:
    """Send one message."""
    link.send(json.dumps(message).encode())


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
