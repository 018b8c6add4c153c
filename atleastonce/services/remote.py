"""Handles of services in containers: the embedded ones', with another supervisor."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import psycopg
import redis

from atleastonce.errors import ServiceError
from atleastonce.services.console import Console
from atleastonce.services.engine import TIMEOUT
from atleastonce.services.gateway import Gateway
from atleastonce.services.mail import Mail
from atleastonce.services.postgres import DATABASE, Postgres
from atleastonce.services.rabbitmq import PATIENCE, RabbitMQ
from atleastonce.services.redis import TIMEOUT as REPLY
from atleastonce.services.redis import Redis, directives
from atleastonce.services.service import Service
from atleastonce.services.supervised import Revived
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.services.engine import Container
    from atleastonce.services.folder import LabFolder
    from atleastonce.services.supervised import Supervised

#: What a lab finds; a lesson that was killed may have left something else.
USUAL = {
    "save": "",
    "appendonly": "no",
    "appendfsync": "everysec",
    "maxmemory": "0",
    "maxmemory-policy": "noeviction",
}
#: As for USUAL; in milliseconds, the defaults of RabbitMQ 4.
USUAL_TIMEOUTS = {"consumer_timeout": 1_800_000, "channel_tick_interval": 60_000}


@dataclass(frozen=True)
class Seat:
    """Where a service is, and who can start it.

    Attributes:
        folder: the lab's.
        mode: ``compose`` or ``course``.
        host, ports: the service's, and that of its control API, if it has one.
        container: None where the engine can't be reached.
    """

    folder: LabFolder
    mode: str
    host: str
    ports: tuple[int, ...]
    container: Container | None


class Remote(Service):
    """A service in a container. It is up already, and its ports stay as they are."""

    def _sit(self, seat: Seat) -> None:
        self._seat, self.mode, self.host = seat, seat.mode, seat.host
        Service.__init__(self, seat.folder)
        self._was_up = True

    def _choose_ports(self) -> None:
        self.port = self._seat.ports[0]

    def start(self, timeout: float = TIMEOUT) -> None:
        """Have its supervisor start it, and return when it answers."""
        super().start(timeout)

    def _command(self) -> Supervised:
        return self._seat.container or Revived(self.name, self._die, self._finish)

    def _die(self) -> None:
        """End at once, by protocol; the services that can't are listed in ``modes``."""

    def _finish(self) -> None:
        """End cleanly, by protocol."""

    def settle(self) -> None:
        """Be as every lab finds it."""


class RemoteRedis(Remote, Redis):
    """Redis in a container; what it is told to keep stays in its volume."""

    def __init__(self, seat: Seat, password: str) -> None:
        self.password, self._clients = password, {}
        self._sit(seat)

    def _die(self) -> None:
        self._shut_down("NOSAVE", "NOW")

    def _finish(self) -> None:
        self._shut_down()

    def _shut_down(self, *how: str) -> None:
        # It ends in place of an answer. Asked again, the next one would end, too.
        client = self._connect(0, REPLY, retries=0)
        with client, suppress(redis.ConnectionError):
            client.execute_command("SHUTDOWN", *how)

    @contextmanager
    def configured(self, **options: str) -> Iterator[None]:
        """Run with these directives inside the block, restarts included.

        As for an embedded one, but what memory holds when a block with ``save`` begins
        is on disk then: it takes the place of what an earlier block has left there.

        Raises:
            redis.ResponseError: Redis has no such directive.
        """
        client, new = self.client(), directives(options)
        old = {name: client.config_get(name)[name] or "" for name in new}
        try:
            self._set(new)
            if new.get("save"):
                wait_until(self._saved, timeout=TIMEOUT, what="Redis to save")
            yield
        finally:
            self._set(old)

    def _saved(self) -> bool:
        """Save now; False while Redis saves by itself, as the directive tells it to."""
        try:
            return bool(self.client().save())
        except redis.ResponseError as error:
            if "in progress" not in str(error):
                raise
            return False

    def _set(self, new: dict[str, str]) -> None:
        super()._set(new)
        self.client().config_rewrite()

    def settle(self) -> None:
        """Be as every lab finds it."""
        self._set(USUAL)
        self.client().flushall()


class RemoteSecondRedis(RemoteRedis):
    """Another one beside it."""

    name: ClassVar[str] = "second-redis"


class RemotePostgres(Remote, Postgres):
    """Postgres in a container."""

    def __init__(self, seat: Seat, password: str) -> None:
        self.password, self.database, self._kept = password, DATABASE, None
        self._sit(seat)

    def _die(self) -> None:
        self._shut_down("immediate")

    def _finish(self) -> None:
        self._shut_down("fast")

    def _shut_down(self, how: str) -> None:
        command = f"""pg_ctl -D "$PGDATA" -m {how} -W stop"""
        # It ends in place of an answer.
        with suppress(psycopg.Error), self.connect() as connection:
            connection.execute(f"COPY (SELECT 1) TO PROGRAM '{command}'".encode())


class RemoteRabbitMQ(Remote, RabbitMQ):
    """RabbitMQ in a container; its console's socket is in the folder that we share."""

    def __init__(self, seat: Seat, password: str) -> None:
        self.password, self._console = password, Console(seat.folder.path)
        self._sit(seat)

    def start(self, timeout: float = PATIENCE) -> None:
        """Start it, and return when it answers; about 10 s."""
        Service.start(self, timeout)

    def stop(self) -> None:
        """A clean stop."""
        Service.stop(self)

    def ping(self) -> bool:
        """True if it lets its user in within a second, and its console answers."""
        with suppress(ServiceError):
            return super().ping() and self._console.ask("ok", 1.0) == "ok"
        return False

    def _die(self) -> None:
        # It ends in place of an answer.
        with suppress(ServiceError):
            self._console.ask("erlang:halt(137, [{flush, false}])")

    def settle(self) -> None:
        """Be as every lab finds it."""
        for name, milliseconds in USUAL_TIMEOUTS.items():
            self.evaluate(f"application:set_env(rabbit, {name}, {milliseconds})")
        self.clear()


class RemoteMail(Remote, Mail):
    """The mail catcher in a container."""

    def __init__(self, seat: Seat) -> None:
        self._sit(seat)

    def _choose_ports(self) -> None:
        self.port, self.control_port = self._seat.ports

    def settle(self) -> None:
        """Be as every lab finds it."""
        self.lose_replies(0)
        self.delay(0.0)
        self.clear()


class RemoteGateway(Remote, Gateway):
    """The payment gateway in a container."""

    def __init__(self, seat: Seat) -> None:
        self._sit(seat)

    def settle(self) -> None:
        """Be as every lab finds it."""
        self.knobs()
        self.clear()
