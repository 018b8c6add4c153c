"""A file server that misbehaves, and notes of each connection when its client left.

It runs in the notebook's process and ends with it. The path says what to do, after a
name that ties the requests of one download together: ``/<name>/<what>/<values>``; what
there is to ask for stands in ``fileanswers``.
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from atleastonce.fileanswers import SIZE, Answer, ClientLeft, Seen, content, path_of
from atleastonce.services.ports import HOST

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SIZE", "FileServer", "content"]


class FileServer:
    """Serve on loopback until ``stop``.

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
        """The address of a download; *what* and *values* as in ``fileanswers``."""
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

    def stop(self) -> None:
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
        """Stop it."""
        self.stop()

    def _start(self, target: Callable[..., None], *args: object) -> None:
        threading.Thread(target=target, args=args, daemon=True).start()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            one = Seen(link, time.monotonic())
            self._seen.append(one)
            self._start(self._serve, one)

    def _serve(self, one: Seen) -> None:
        try:
            _, one.name, one.what, *values = path_of(one.link).split("/")
            Answer(one, self._over).give(one.what, *values)
        except (OSError, ClientLeft):
            one.left = True
        finally:
            one.until = time.monotonic()
            one.link.close()
