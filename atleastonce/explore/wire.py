"""Between the search and the copies: what they say is a ``workers.link`` message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce.workers.link import connect, listen, send
from atleastonce.workers.link import receive as hear

if TYPE_CHECKING:
    import socket

__all__ = ["GO", "REST", "RUN", "WATCH", "connect", "hear", "listen", "say"]

#: Orders to a copy, one byte each.
RUN, GO, WATCH, REST = b"r", b"g", b"w", b"s"


def say(to: socket.socket, event: str, **more: object) -> None:
    """Send one message."""
    send(to, event=event, **more)
