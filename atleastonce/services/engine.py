"""Docker's engine, by its HTTP API on a Unix socket: what a service's handle needs.

A call takes a millisecond or so, where the command ``docker`` takes 50. Starting and
removing containers is left to ``docker compose``, whose labels we find them by.
"""

from __future__ import annotations

import http.client
import json
import signal
import socket
import struct
from typing import Any
from urllib.parse import quote

from atleastonce.errors import NoService, ServiceError

#: Seconds; it answers in milliseconds, and starts a container in one second. With all
#: cores busy a start took 52 s.
TIMEOUT = 120.0
#: Frames of a log: stream, three empty bytes, length.
_FRAME = struct.Struct(">BxxxL")
_UNIX = "unix://"


class _Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Engine:
    """The engine at *address*, such as ``unix:///var/run/docker.sock``."""

    def __init__(self, address: str) -> None:
        self._address = address

    def call(self, method: str, path: str, *, fine: tuple[int, ...] = ()) -> bytes:
        """What the engine answers.

        Args:
            method: of HTTP.
            path: such as ``/containers/json``.
            fine: statuses from 400 on that are no failure here.

        Raises:
            NoService: there is no engine at the address.
            ServiceError: it refused.
        """
        status, answer = self._request(method, path)
        if status >= http.client.BAD_REQUEST and status not in fine:
            raise ServiceError(
                f"Docker's engine refused {method} {path} with status {status}.",
                seen=answer.decode(errors="replace").strip(),
                attempt="docker compose ps",
            )
        return answer

    def _request(self, method: str, path: str) -> tuple[int, bytes]:
        connection = _Connection(self._address.removeprefix(_UNIX), TIMEOUT)
        try:
            connection.request(method, path)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise NoService(
                f"Docker's engine does not answer at {self._address}.",
                seen=f"{type(error).__name__}: {error}",
                attempt="export DOCKER_HOST=unix://…, as `docker context ls` shows it",
            ) from None
        finally:
            connection.close()

    def find(self, project: str, service: str) -> Container:
        """The container of one service of a compose *project*.

        Raises:
            NoService: there is none.
        """
        labels = {"project": project, "service": service}
        wanted = [f"com.docker.compose.{name}={of}" for name, of in labels.items()]
        filters = quote(json.dumps({"label": wanted}))
        found = json.loads(
            self.call("GET", f"/containers/json?all=true&filters={filters}")
        )
        if not found:
            raise NoService(
                f"The compose project {project!r} has no container of {service}.",
                attempt="make up",
            )
        return Container(self, service, found[0]["Id"])


class Container:
    """One container, as a supervisor of the service in it. See ``Supervised``."""

    def __init__(self, engine: Engine, name: str, container: str) -> None:
        self._engine, self._name, self._path = engine, name, f"/containers/{container}"

    def _post(self, verb: str, *fine: int) -> None:
        self._engine.call("POST", f"{self._path}/{verb}", fine=fine)

    def inspect(self) -> dict[str, Any]:
        """What the engine knows of it."""
        found: dict[str, Any] = json.loads(
            self._engine.call("GET", f"{self._path}/json")
        )
        return found

    def port(self, inside: int) -> int:
        """The host's port for the container's port *inside*.

        Raises:
            ServiceError: it is not published, as long as it does not run.
        """
        published = self.inspect()["NetworkSettings"]["Ports"].get(f"{inside}/tcp")
        if not published:
            raise self.error(f"has not published its port {inside}")
        return int(published[0]["HostPort"])

    @property
    def alive(self) -> bool:
        """True while it runs, or is about to run again."""
        state = self.inspect()["State"]
        return bool(state["Running"] or state["Restarting"])

    def start(self) -> None:
        """Start it; nothing happens when it runs."""
        self._post("start")

    def kill(self) -> None:
        """SIGKILL; returns when it has ended. The engine takes that for our wish."""
        self.thaw()
        self._post("kill", http.client.CONFLICT)
        self._post("wait")

    def stop(self, timeout: float = 5.0, number: int = signal.SIGTERM) -> None:  # noqa: ARG002 - the image says which signal
        """Ask it to end with its image's signal; after *timeout* seconds kill it."""
        self.thaw()
        self._post(f"stop?t={int(timeout)}")

    def freeze(self) -> None:
        """Make all of it stand still."""
        self._post("pause")

    def thaw(self) -> None:
        """Let it go on; nothing happens when it does."""
        if self.inspect()["State"]["Paused"]:
            self._post("unpause")

    def tail(self, lines: int = 10) -> str:
        """The last *lines* of its log."""
        log = self._engine.call(
            "GET", f"{self._path}/logs?stdout=1&stderr=1&tail={lines}"
        )
        return _unframed(log).decode(errors="replace").strip()

    def error(self, what: str) -> ServiceError:
        """The error that says how it ended; *what* is the verb."""
        status = self.inspect()["State"]
        return ServiceError(
            f"The container of {self._name} {what}; it is {status['Status']}, "
            f"exit status {status['ExitCode']}.",
            seen=self.tail(),
            attempt=f"docker compose up --wait {self._name}",
        )


def _unframed(log: bytes) -> bytes:
    """The text of a log that is cut into frames."""
    text, rest = b"", log
    while len(rest) >= _FRAME.size:
        _, length = _FRAME.unpack_from(rest)
        start = _FRAME.size
        text, rest = text + rest[start : start + length], rest[start + length :]
    return text
