"""Calls to the control APIs of the mail catcher and the gateway."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from atleastonce.errors import ServiceError

#: Seconds; the other side is on this machine, but may be frozen.
TIMEOUT = 5.0


class Control:
    """A control API at *url*, for who knows *secret*.

    Each call is a connection of its own: none is left that a fault could break.
    """

    def __init__(self, url: str, secret: str) -> None:
        self.url, self._secret = url, secret

    def call(
        self, method: str, path: str, body: object = None, timeout: float = TIMEOUT
    ) -> Any:  # noqa: ANN401 - any JSON
        """The answer of one request, as JSON.

        Raises:
            ServiceError: no answer within *timeout* seconds, or a refusal.
        """
        try:
            status, answer = self._request(method, path, body, timeout)
        except (OSError, http.client.HTTPException) as error:
            raise ServiceError(
                f"{method} {self.url}{path} got no answer.",
                seen=f"{type(error).__name__}: {error}",
                attempt="thaw() or restart() the service",
            ) from None
        if status >= http.client.BAD_REQUEST:
            raise ServiceError(
                f"{method} {self.url}{path} was refused with status {status}.",
                seen=answer.decode(errors="replace"),
            )
        return json.loads(answer) if answer else None

    def answers(self, path: str) -> bool:
        """True if GET *path* is answered within a second."""
        try:
            self.call("GET", path, timeout=1.0)
        except ServiceError:
            return False
        return True

    def _request(
        self, method: str, path: str, body: object, timeout: float
    ) -> tuple[int, bytes]:
        netloc = urlsplit(self.url).netloc
        connection = http.client.HTTPConnection(netloc, timeout=timeout)
        headers = {"X-Lab-Secret": self._secret, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()
