"""The connection below a request: has the client left, and dropping it unanswered."""

from __future__ import annotations

import errno
import os
import select
from contextlib import suppress
from socket import SHUT_RDWR, socket
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from cheroot import wsgi

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Environ = dict[str, Any]
    Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

SOCKET, DROP = "atleastonce.socket", "atleastonce.drop"

HOST = "127.0.0.1"
#: At the start; more come when all are busy.
THREADS = 8

_sockets: WeakSet[socket] = WeakSet()
_sockets_lock = Lock()


class Gateway(wsgi.Gateway_10):
    """Cheroot's step from HTTP to WSGI; lets the application see the socket."""

    def get_environ(self) -> Environ:  # type: ignore[override] # no types there
        """The WSGI environment, and the connection's socket in it."""
        environ: Environ = super().get_environ()  # type: ignore[no-untyped-call]
        with _sockets_lock:
            _sockets.add(self.req.conn.socket)
        threads = self.req.server.requests
        # One is always idle, however many requests hang: else nothing could heal them.
        if not threads.idle:
            threads.grow(1)
        return {**environ, SOCKET: self.req.conn.socket}


def server(host: str, port: int, application: Application) -> wsgi.Server:
    """A WSGI server; it listens once it is prepared."""
    made = wsgi.Server(
        (host, port),
        droppable(application),
        numthreads=THREADS,
        request_queue_size=128,
    )
    made.gateway = Gateway
    return made


def drop(environ: Environ) -> None:
    """Close this request's connection in place of its answer."""
    environ[DROP] = True


def droppable(application: Application) -> Application:
    """*application*, whose requests can be dropped."""

    def wrapped(environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        answer = application(environ, start)
        if DROP in environ:
            # Nothing is sent yet: on this error Cheroot closes the socket, silently.
            raise ConnectionAbortedError(
                errno.ECONNABORTED, os.strerror(errno.ECONNABORTED)
            )
        return answer

    return wrapped


def client_left(environ: Environ) -> bool:
    """True once the client has closed its side of the connection."""
    look = select.poll()
    look.register(environ[SOCKET], select.POLLRDHUP)
    return bool(look.poll(0))


def cut_all(but: Environ) -> int:
    """Close every connection except the one of *but*; return how many."""
    with _sockets_lock:
        others = set(_sockets) - {but[SOCKET]}
    return sum(_cut(other) for other in others)


def _cut(connection: socket) -> bool:
    # Closed already, by its client or by Cheroot.
    with suppress(OSError):
        connection.shutdown(SHUT_RDWR)
        return True
    return False
