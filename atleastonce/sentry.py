"""A receiver for the real Sentry SDK: what a project's workers report, over HTTP.

The SDK posts *envelopes*: a line of JSON, then for each item a line that describes it
and its payload, all of it compressed. We keep the events and throw the rest away.
"""

from __future__ import annotations

import gzip
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Lock, Thread
from typing import Any

from atleastonce.waiting import wait_until

HOST, PROJECT = "127.0.0.1", "1"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        """Bind, without asking the resolver for our name, as HTTPServer does."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])


class Sentry:
    """Listens from the start; a daemon thread, so it ends with the notebook at last.

    Attributes:
        dsn: what ``sentry_sdk.init(dsn=...)`` takes.
    """

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []
        self._lock = Lock()
        self._server = _Server((HOST, 0), _handler(self._take))
        self.dsn = f"http://key@{HOST}:{self._server.server_port}/{PROJECT}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def _take(self, body: bytes) -> None:
        found = events_in(body)
        with self._lock:
            self._events += found

    def events(self) -> list[str]:
        """What was reported, oldest first: the exception's type, or the log's text."""
        with self._lock:
            return [said(event) for event in self._events]

    def clear(self) -> None:
        """Forget what was reported."""
        with self._lock:
            self._events.clear()

    def wait(self, count: int, timeout: float = 10.0) -> None:
        """Wait until so many events have come.

        Raises:
            WaitTimeout: fewer have, in that time.
        """
        wait_until(
            lambda: len(self.events()) >= count,
            timeout=timeout,
            what=f"{count} events of Sentry",
            seen=lambda: str(self.events()),
        )

    def stop(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()


def events_in(body: bytes) -> list[dict[str, Any]]:
    """The events of one envelope; its other items (sessions, spans) left out."""
    _, _, rest = body.partition(b"\n")
    found = []
    while rest:
        head, _, rest = rest.partition(b"\n")
        item = json.loads(head or b"{}")
        length = item.get("length", rest.find(b"\n") % (len(rest) + 1))
        payload, rest = rest[:length], rest[length:].lstrip(b"\n")
        if item.get("type") == "event":
            found.append(json.loads(payload))
    return found


def said(event: dict[str, Any]) -> str:
    """One event in a few words."""
    values = (event.get("exception") or {}).get("values") or []
    if values:
        return str(values[-1]["type"])
    logged = event.get("logentry") or {}
    return f"log: {logged.get('message') or event.get('message') or ''}"


def _handler(take: Any) -> type[BaseHTTPRequestHandler]:  # noqa: ANN401 - a callable
    class Handler(BaseHTTPRequestHandler):
        """Answers each envelope with its id, as Sentry does."""

        def do_POST(self) -> None:
            """One envelope."""
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            take(body)
            answer = b'{"id": "0"}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing: a notebook's output is compared."""

    return Handler
