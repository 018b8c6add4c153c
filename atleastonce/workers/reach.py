"""Confine a process to the lab's own services: a repeated task must not get elsewhere.

A sweep runs a task some sixty times and kills it each time. A payment provider, a
database or a broker whose address is written down in somebody's code would live through
that for real, so a connection to anything but the lab is refused before a byte is sent.

Seen are sockets that Python connects (an audit hook: ``socket.connect``), and what
psycopg and psycopg2 have connected, before their first statement. Not seen: other C
libraries, such as those of MySQL and of uvloop.
"""

from __future__ import annotations

import importlib
import importlib.util
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg

from atleastonce.errors import ProjectError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atleastonce.addresses import Addresses

#: In the lab's folder: a line for each connection that was refused.
FILE = "refused"
#: The link to the fleet, see ``workers.link``.
_LINK = "/proc/self/fd/"
_INTERNET = (socket.AF_INET, socket.AF_INET6)


class Reach:
    """What may be connected to.

    Args:
        addresses: the lab's.
        more: ``host:port`` of what else.
    """

    def __init__(self, addresses: Addresses, more: Iterable[str] = ()) -> None:
        self._folder, self._more = addresses.folder, set(more)
        urls = [urlsplit(url) for url in (addresses.mail_url, addresses.gateway_url)]
        self._places = {
            (addresses.redis_host, addresses.redis_port),
            (addresses.postgres_host, addresses.postgres_port),
            (addresses.smtp_host, addresses.smtp_port),
            *((url.hostname or "", url.port or 0) for url in urls),
        }

    def check(self, host: str, port: int) -> None:
        """Return if *port* of *host* may be connected to.

        Raises:
            ProjectError: it may not.
        """
        if (host, port) in self._places or f"{host}:{port}" in self._more:
            return
        if host in self._named(port):
            return
        place = f"{host}:{port}"
        self._note(place)
        raise ProjectError(
            f"A connection to {place} was refused: it is no throw-away service.",
            attempt=f"lead it to one with --env, or --allow {place}",
        )

    def check_path(self, path: str) -> None:
        """The same for a socket in the file system."""
        if path.startswith((self._folder, _LINK)) or path in self._more:
            return
        self._note(path)
        raise ProjectError(
            f"A connection to {path} was refused: it is no throw-away service.",
            attempt=f"lead it to one with --env, or --allow {path}",
        )

    def _named(self, port: int) -> set[str]:
        """Addresses of the names that are allowed for *port*; ``localhost`` is ours."""
        names = [n.rpartition(":") for n in self._more]
        hosts = [host for host, _, number in names if number == str(port)]
        found = {row for host in hosts for row in _resolved(host, port)}
        # A client that was told "localhost" may try IPv6 first, and go on.
        ours = {"localhost", "::1"} if port in {p for _, p in self._places} else set()
        return {*hosts, *found, *ours}

    def _note(self, place: str) -> None:
        with Path(self._folder, FILE).open("a") as file:
            file.write(f"{place}\n")


def _resolved(host: str, port: int) -> list[str]:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(row[4][0]) for row in rows]


_reach: list[Reach] = []


def confine(reach: Reach) -> None:
    """From now on this process, and what it forks, connects to nothing but *reach*."""
    first = not _reach
    _reach[:] = [reach]
    if first:
        sys.addaudithook(_audit)
        _check_psycopg()
        _check_psycopg2()


def _audit(event: str, args: tuple[Any, ...]) -> None:
    # A datagram socket's connect sends nothing, and is a way to ask for one's address.
    if event == "socket.connect" and args[0].type != socket.SOCK_DGRAM:
        link, address = args
        if link.family in _INTERNET:
            _reach[0].check(str(address[0]), int(address[1]))
        elif link.family == socket.AF_UNIX:
            _reach[0].check_path(address if isinstance(address, str) else repr(address))


def _check_psycopg() -> None:
    for kind in (psycopg.Connection, psycopg.AsyncConnection):
        _check_made(kind)


def _check_made(kind: Any) -> None:  # noqa: ANN401 - one of psycopg's two classes
    made = kind.__init__

    def init(self: Any, pgconn: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - psycopg's own
        _check_libpq(pgconn, pgconn.host.decode(), pgconn.port.decode())
        made(self, pgconn, *args, **kwargs)

    kind.__init__ = init


def _check_psycopg2() -> None:
    if importlib.util.find_spec("psycopg2") is None:
        return
    psycopg2: Any = importlib.import_module("psycopg2")
    connect = psycopg2._connect  # noqa: SLF001 - below every way to call it

    def checked(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - psycopg2's own
        made = connect(*args, **kwargs)
        _check_libpq(made, made.info.host, str(made.info.port))
        return made

    psycopg2._connect = checked  # noqa: SLF001 - likewise


def _check_libpq(made: Any, host: str, port: str) -> None:  # noqa: ANN401 - either library's
    try:
        if host.startswith(("/", "@")):
            _reach[0].check_path(f"{host}/.s.PGSQL.{port}")
        else:
            _reach[0].check(host, int(port))
    except ProjectError:
        (made.finish if hasattr(made, "finish") else made.close)()
        raise
