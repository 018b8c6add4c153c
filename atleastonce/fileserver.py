"""A file server that misbehaves, and notes of each connection when its client left.

It runs in the notebook's process and ends with it. The path says what to do, after a
name that ties the requests of one download together: ``/<name>/<what>/<values>``.

``file/N``      N bytes at once
``slow/N/S``    N bytes in ten portions, within S seconds
``hops/N/S``    N redirects, each after S seconds, then a file
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
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import quote, unquote

from atleastonce.services.ports import HOST

#: Seconds between two bytes, and between two looks at the client.
TICK = 0.05
#: Bytes of the file that stands behind redirects.
SIZE = 1000
_ENDLESS = 10**9
_PORTIONS = 10
# With these, closing a socket sends RST.
_NO_LINGER = struct.pack("ii", 1, 0)


class ClientLeft(Exception):
    """The client has closed its side of the connection."""


@dataclass
class Seen:
    """What the server saw of one connection; times are monotonic.

    Attributes:
        name: of the download.
        what: what the path asked for.
        since: when it was accepted.
        until: when the client had closed it, or we had; None while it is open.
        left: True if the client closed it before it had all.
        sent: bytes of headers and body.
    """

    since: float
    name: str = ""
    what: str = ""
    until: float | None = None
    left: bool = False
    sent: int = 0
    link: socket.socket = field(default_factory=socket.socket, repr=False)


def content(size: int) -> bytes:
    """The bytes of a file of that *size*; each differs from a repeated one."""
    return random.Random(size).randbytes(size)


class FileServer:
    """Serve on loopback until ``close``.

    Attributes:
        port: where it listens.
    """

    def __init__(self) -> None:
        self._over = threading.Event()
        self._listener = socket.create_server((HOST, 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._seen: list[Seen] = []
        self._start(self._accept)

    def url(self, name: str, what: str, *values: object) -> str:
        """The address of a download of that *name*; *what* and *values* as above."""
        path = "/".join(map(str, (quote(name), what, *values)))
        return f"http://{HOST}:{self.port}/{path}"

    def seen(self, name: str) -> list[Seen]:
        """The connections of that download, oldest first."""
        return [one for one in self._seen if one.name == name]

    def open(self, name: str) -> int:
        """How many of its connections are open now."""
        return sum(one.until is None for one in self.seen(name))

    def lasted(self, name: str) -> float:
        """Seconds from its first connection to the end of its last, or until now."""
        seen, now = self.seen(name), time.monotonic()
        ends = [now if one.until is None else one.until for one in seen]
        return max(ends) - seen[0].since if seen else 0.0

    def clear(self) -> None:
        """Close all connections, and forget what was seen."""
        for one in self._seen:
            with suppress(OSError):
                one.link.shutdown(socket.SHUT_RDWR)
        self._seen = []

    def close(self) -> None:
        """End; can be called again."""
        self._over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.clear()

    def __enter__(self) -> Self:
        """The server, listening."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def _start(self, target: object, *args: object) -> None:
        threading.Thread(target=target, args=args, daemon=True).start()  # type: ignore[arg-type]

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            one = Seen(time.monotonic(), link=link)
            self._seen.append(one)
            self._start(self._serve, one)

    def _serve(self, one: Seen) -> None:
        try:
            _, one.name, one.what, *values = _path(one.link).split("/")
            answer = _Answer(one, self._over)
            getattr(answer, f"do_{one.what}")(*values)
        except (OSError, ClientLeft):
            one.left = True
        finally:
            one.until = time.monotonic()
            one.link.close()


def _path(link: socket.socket) -> str:
    """What the first line of a request asks for."""
    got = b""
    while b"\r\n\r\n" not in got:
        more = link.recv(65536)
        if not more:
            raise ClientLeft
        got += more
    return unquote(got.split()[1].decode())


class _Answer:
    """One answer; each ``do_`` is named in the module's text."""

    def __init__(self, one: Seen, over: threading.Event) -> None:
        self._one, self._over = one, over

    def do_file(self, size: str) -> None:
        self._head(int(size))
        self._send(content(int(size)))

    def do_slow(self, size: str, seconds: str) -> None:
        body, step = content(int(size)), int(size) // _PORTIONS
        self._head(len(body))
        for start in range(0, len(body), step):
            self._wait(float(seconds) / _PORTIONS)
            self._send(body[start : start + step])

    def do_hops(self, count: str, seconds: str) -> None:
        self._wait(float(seconds))
        if count == "0":
            self.do_file(str(SIZE))
        else:
            self._redirect(f"/{quote(self._one.name)}/hops/{int(count) - 1}/{seconds}")

    def do_loop(self, seconds: str) -> None:
        self._wait(float(seconds))
        self._redirect(f"/{quote(self._one.name)}/loop/{seconds}")

    def do_hang(self) -> None:
        self._wait(None)

    def do_headers(self, size: str, seconds: str) -> None:
        self._send(b"HTTP/1.1 200 OK\r\nX-Padding: ")
        for _ in range(round(float(seconds) / TICK)):
            self._send(b"x")
            self._wait(TICK)
        self._send(f"\r\nContent-Length: {size}\r\n\r\n".encode())
        self._send(content(int(size)))

    def do_drip(self) -> None:
        self._head(_ENDLESS)
        while True:
            self._send(b"x")
            self._wait(TICK)

    def do_stall(self, size: str) -> None:
        self._head(_ENDLESS)
        self._send(content(int(size)))
        self._wait(None)

    def do_short(self, size: str) -> None:
        self._head(int(size))
        self._send(content(int(size))[: int(size) // 2])

    def do_reset(self, size: str) -> None:
        self.do_short(size)
        # What was sent before has to arrive: a reset throws away what did not.
        self._wait(2 * TICK)
        self._one.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)

    def do_status(self, code: str) -> None:
        self._head(4, status=f"{code} Told so")
        self._send(b"told")

    def _head(self, size: int, status: str = "200 OK", more: str = "") -> None:
        lines = f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{more}"
        self._send(f"{lines}Connection: close\r\n\r\n".encode())

    def _redirect(self, where: str) -> None:
        self._head(0, status="302 Found", more=f"Location: {where}\r\n")

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
