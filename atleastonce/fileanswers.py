"""The answers of a file server that misbehaves, by what the path asks for.

``file/N``      N bytes at once
``slow/N/S``    N bytes in ten portions, within S seconds
``hops/N/S``    N redirects, each after S seconds, then a file after S seconds; statuses
                and forms of ``Location`` take turns; ``hops/N/S/drip`` ends in a drip
``loop/S``      a redirect to itself, after S seconds
``hang``        nothing
``headers/N/S`` headers, one byte at a time, for S seconds; then N bytes
``drip``        one byte of a body at a time, without end
``stall/N``     N bytes, and then nothing more
``short/N``     half of N bytes, then the end
``reset/N``     half of N bytes, then a reset
``status/N``    that status, and a short body
"""

from __future__ import annotations

import random
import select
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    import threading

#: Seconds between two bytes, and between two looks at the client.
TICK = 0.05
#: Bytes of the file that stands behind redirects.
SIZE = 1000
_ENDLESS = 10**9
_PORTIONS = 10
_MOVED = (302, 301, 303, 307, 308)
# With these, closing a socket sends RST.
_NO_LINGER = struct.pack("ii", 1, 0)


class ClientLeft(Exception):
    """The client has closed its side of the connection."""


@dataclass
class Seen:
    """What the server saw of one connection; times are monotonic.

    Attributes:
        link: its socket.
        since: when it was accepted.
        name: of the download.
        what: what the path asked for.
        until: when the client had closed it, or we had; None while it is open.
        left: True if the client closed it before it had all.
        sent: bytes of headers and body.
    """

    link: socket.socket = field(repr=False)
    since: float
    name: str = ""
    what: str = ""
    until: float | None = None
    left: bool = False
    sent: int = 0


def content(size: int) -> bytes:
    """The bytes of a file of that *size*; each differs from a repeated one."""
    return random.Random(size).randbytes(size)


def path_of(link: socket.socket) -> str:
    """What the first line of a request asks for."""
    got = b""
    while b"\r\n\r\n" not in got:
        more = link.recv(65536)
        if not more:
            raise ClientLeft
        got += more
    return unquote(got.split()[1].decode())


class Answer:
    """One answer to one connection; *over* ends what has no end."""

    def __init__(self, one: Seen, over: threading.Event) -> None:
        self._one, self._over = one, over

    def give(self, what: str, *values: str) -> None:
        """Answer as the module's text says.

        Raises:
            ClientLeft: or an OSError, if the client has closed its side.
        """
        getattr(self, f"_do_{what}")(*values)

    def _do_file(self, size: str) -> None:
        self._head(int(size))
        self._send(content(int(size)))

    def _do_slow(self, size: str, seconds: str) -> None:
        body, step = content(int(size)), int(size) // _PORTIONS
        self._head(len(body))
        for start in range(0, len(body), step):
            self._wait(float(seconds) / _PORTIONS)
            self._send(body[start : start + step])

    def _do_hops(self, count: str, seconds: str, *behind: str) -> None:
        self._wait(float(seconds))
        if count == "0":
            self.give(*(behind or ("file", str(SIZE))))
        else:
            self._redirect(self._next(int(count), seconds, *behind), int(count))

    def _next(self, count: int, *values: str) -> str:
        """Where to go from here: relative to the folder, to the server, or neither."""
        host, port = self._one.link.getsockname()[:2]
        path = f"/{quote(self._one.name)}/hops"
        forms = "/".join([".."] * len(values)), path, f"http://{host}:{port}{path}"
        return "/".join((forms[count % len(forms)], str(count - 1), *values))

    def _do_loop(self, seconds: str) -> None:
        self._wait(float(seconds))
        self._redirect(f"/{quote(self._one.name)}/loop/{seconds}")

    def _do_hang(self) -> None:
        self._wait(None)

    def _do_headers(self, size: str, seconds: str) -> None:
        self._send(b"HTTP/1.1 200 OK\r\nX-Padding: ")
        for _ in range(round(float(seconds) / TICK)):
            self._send(b"x")
            self._wait(TICK)
        self._send(f"\r\nContent-Length: {size}\r\n\r\n".encode())
        self._send(content(int(size)))

    def _do_drip(self) -> None:
        self._head(_ENDLESS)
        while True:
            self._send(b"x")
            self._wait(TICK)

    def _do_stall(self, size: str) -> None:
        self._head(_ENDLESS)
        self._send(content(int(size)))
        self._wait(None)

    def _do_short(self, size: str) -> None:
        self._head(int(size))
        self._send(content(int(size))[: int(size) // 2])

    def _do_reset(self, size: str) -> None:
        self._do_short(size)
        # What was sent before has to arrive: a reset throws away what did not.
        self._wait(2 * TICK)
        self._one.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)

    def _do_status(self, code: str) -> None:
        self._head(4, status=f"{code} Told so")
        self._send(b"told")

    def _head(self, size: int, status: str = "200 OK", more: str = "") -> None:
        lines = f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{more}"
        self._send(f"{lines}Connection: close\r\n\r\n".encode())

    def _redirect(self, where: str, turn: int = 0) -> None:
        status = _MOVED[turn % len(_MOVED)]
        self._head(0, status=f"{status} Moved", more=f"Location: {where}\r\n")

    def _send(self, data: bytes) -> None:
        self._one.link.sendall(data)
        self._one.sent += len(data)

    def _wait(self, seconds: float | None) -> None:
        """Wait so long, or for good; until the client leaves."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._over.is_set():
            left = TICK if end is None else min(TICK, end - time.monotonic())
            if left <= 0:
                return
            if select.select([self._one.link], [], [], left)[0]:
                self._look()
        raise ClientLeft

    def _look(self) -> None:
        if not self._one.link.recv(65536):
            raise ClientLeft
