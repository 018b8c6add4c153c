"""What the mail catcher keeps and how it misbehaves, and the HTTP API to both."""

from __future__ import annotations

import hmac
import json
import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from cheroot.wsgi import Server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from wsgiref.types import StartResponse, WSGIEnvironment


class Mailbox:
    """The mails that were accepted, in memory and in *path*, for several threads."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._path.touch(mode=0o600)
        lines = self._path.read_text().splitlines()
        self._mails: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def add(self, mail: dict[str, Any]) -> None:
        """Keep one mail."""
        with self._lock, self._path.open("a") as file:
            file.write(json.dumps(mail) + "\n")
            self._mails.append(mail)

    def all(self) -> list[dict[str, Any]]:
        """The mails, oldest first."""
        with self._lock:
            return list(self._mails)

    def clear(self) -> None:
        """Forget them."""
        with self._lock:
            self._path.write_text("")
            self._mails.clear()


class Knobs:
    """How it misbehaves: replies still to be lost, and seconds before a mail counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lose_replies, self.delay = 0, 0.0

    def turn(self, lose_replies: int | None = None, delay: float | None = None) -> None:
        """Set those that are given."""
        with self._lock:
            if lose_replies is not None:
                self._lose_replies = lose_replies
            if delay is not None:
                self.delay = delay

    def take_loss(self) -> bool:
        """True if the reply to this mail is to be lost; counts down."""
        with self._lock:
            lost = self._lose_replies > 0
            self._lose_replies -= lost
            return lost


class Control:
    """The HTTP API, for who knows *secret*; the table is in ``mail_server``."""

    def __init__(
        self, mailbox: Mailbox, knobs: Knobs, cut: Callable[[], None], secret: str
    ) -> None:
        self._secret, self._knobs = secret, knobs
        self._routes: dict[str, Callable[[dict[str, Any]], object]] = {
            "GET /messages": lambda _: mailbox.all(),
            "DELETE /messages": lambda _: mailbox.clear(),
            "POST /knobs": lambda found: knobs.turn(**found),
            "POST /cut": lambda _: cut(),
        }

    def start(self, host: str, port: int) -> None:
        """Serve in a thread; OSError when *port* is taken."""
        server = Server((host, port), self._application, numthreads=2)
        server.prepare()
        threading.Thread(target=server.serve, daemon=True).start()

    def _application(
        self, environ: WSGIEnvironment, start: StartResponse
    ) -> list[bytes]:
        status, answer = self._answer(environ)
        headers = [("Content-Type", "application/json")]
        start(f"{status.value} {status.phrase}", headers)
        return [json.dumps(answer).encode()]

    def _answer(self, environ: WSGIEnvironment) -> tuple[HTTPStatus, object]:
        shown = str(environ.get("HTTP_X_LAB_SECRET", ""))
        if not hmac.compare_digest(shown.encode(), self._secret.encode()):
            return HTTPStatus.FORBIDDEN, {"error": "X-Lab-Secret is missing or wrong"}
        path = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        if path not in self._routes:
            return HTTPStatus.NOT_FOUND, {"error": f"no {path}"}
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        try:
            return HTTPStatus.OK, self._routes[path](json.loads(body or b"{}"))
        except (ValueError, TypeError) as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}
