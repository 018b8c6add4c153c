"""The services of docker-compose.yml, which labs use one after the other."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from atleastonce.addresses import Addresses
from atleastonce.errors import NoService, SettingsError, WaitTimeout
from atleastonce.eventlog import EventLog
from atleastonce.services.base import Services
from atleastonce.services.engine import Engine
from atleastonce.services.folder import writing
from atleastonce.services.ports import HOST
from atleastonce.services.remote import (
    Remote,
    RemoteGateway,
    RemoteMail,
    RemotePostgres,
    RemoteRabbitMQ,
    RemoteRedis,
    RemoteSecondRedis,
    Seat,
)
from atleastonce.services.template import fresh_database, shop_template
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from atleastonce.services.folder import LabFolder
    from atleastonce.services.rabbitmq import RabbitMQ
    from atleastonce.services.redis import Redis
    from atleastonce.settings import Settings

#: The ports of each service in its container: its own, and of its control API.
PORTS = {
    "redis": (6379,),
    "second-redis": (6379,),
    "postgres": (5432,),
    "rabbitmq": (5672,),
    "mail": (2525, 8025),
    "gateway": (8001,),
}
#: Seconds for a service that was just started, on busy cores.
PATIENCE = 120.0
#: Seconds that a lab waits for its turn: one that was killed lets go at once.
TURN = 3.0


class Compose(Services):
    """The services of the compose project, emptied for this lab.

    One lab at a time has them; workers and kernel are processes of this machine, or of
    the container that we are in. What happens in the containers goes to the same file
    of events, in a folder that they share with us.

    Args:
        stem: the notebook's name, such as ``01_duplicates``; for people.
        settings: the environment's; its mode is ``compose`` or ``course``.
        beside: as for ``Embedded``.

    Raises:
        NoService: a container or the engine is missing, or another lab has its turn.
        ServiceError: a service does not answer.
    """

    def __init__(
        self,
        stem: str,
        *,
        settings: Settings,
        beside: Callable[[LabFolder], Callable[[], None]] | None = None,
    ) -> None:
        given = _given(settings)
        super().__init__(stem, settings)
        self._shared, self._turn = settings.compose / "lab", -1
        try:
            with writing(self._shared):
                self._turn = _taken(self._shared)
                os.truncate(self._shared / "events.jsonl", 0)
                # The node's console is found there, as an embedded one's.
                (self.folder / "rabbitmq").symlink_to(self._shared)
            self._begin(given)
            if beside:
                self._beside.callback(beside(self._lab))
            self._settle()
        except BaseException:
            self.close()
            raise

    def _begin(self, given: Addresses) -> None:
        self._given, self._lab.secret = given, given.secret
        self.events = EventLog(self._shared / "events.jsonl")
        redis = RemoteRedis(self._seat("redis"), given.redis_password)
        postgres = RemotePostgres(self._seat("postgres"), given.postgres_password)
        mail = RemoteMail(self._seat("mail"))
        gateway = RemoteGateway(self._seat("gateway"))
        self.redis, self.postgres = redis, postgres
        self.mail, self.gateway = mail, gateway
        self._remotes: tuple[Remote, ...] = (redis, postgres, mail, gateway)
        self.addresses = self._addresses(given)
        self.addresses.save(self.lab_file)

    def _seat(self, service: str) -> Seat:
        """Where *service* is; if we can, we have it run."""
        mode, ports = self._settings.mode, PORTS[service]
        if mode == "course":
            return Seat(self._lab, mode, service, ports, None)
        container = Engine(self._settings.engine).find(self._settings.project, service)
        container.thaw()
        container.start()
        published = tuple(container.port(port) for port in ports)
        return Seat(self._lab, mode, HOST, published, container)

    def _addresses(self, given: Addresses) -> Addresses:
        return replace(
            given,
            folder=str(self.folder),
            events=str(self.events.path),
            redis_host=self.redis.host,
            redis_port=self.redis.port,
            postgres_host=self.postgres.host,
            postgres_port=self.postgres.port,
            smtp_host=self.mail.host,
            smtp_port=self.mail.port,
            mail_url=self.mail.url,
            gateway_url=self.gateway.url,
            rabbitmq_port=0,
        )

    def _settle(self) -> None:
        """Have each service as a new one would be."""
        for service in self._remotes:
            service.wait_ready(PATIENCE)
            service.settle()
        fresh_database(self.postgres, shop_template(self._lab))

    def close(self) -> None:
        """End what is ours, then let others have the services."""
        super().close()
        if self._turn >= 0:
            os.close(self._turn)
            self._turn = -1

    def _open_rabbitmq(self) -> RabbitMQ:
        node = RemoteRabbitMQ(self._seat("rabbitmq"), self._given.rabbitmq_password)
        node.wait_ready(PATIENCE)
        node.settle()
        return node

    def _start_second(self) -> Redis:
        second = RemoteSecondRedis(
            self._seat("second-redis"), self._given.redis_password
        )
        second.wait_ready(PATIENCE)
        second.settle()
        return second


def _given(settings: Settings) -> Addresses:
    try:
        return Addresses.load(settings.compose / "secrets" / "lab.json")
    except SettingsError as error:
        raise NoService(
            "The containers' secrets are missing: they were never started from here.",
            seen=error.seen,
            attempt="make up",
        ) from None


def _taken(shared: Path) -> int:
    """Have the services to ourselves; they are free again when this file is closed."""
    lock = os.open(shared / "lock", os.O_RDWR | os.O_CLOEXEC)
    with suppress(WaitTimeout):
        wait_until(lambda: _take(lock), timeout=TURN, what="the services")
        return lock
    os.close(lock)
    raise NoService(
        "Another lab uses the containers, and they serve one at a time.",
        attempt="close that lab, or restart its notebook's kernel",
    )


def _take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
