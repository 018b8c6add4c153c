"""What the services of a lab have in common, wherever they come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from atleastonce.errors import ServiceError
from atleastonce.services.folder import LabFolder
from atleastonce.services.later import Later
from atleastonce.services.rabbitmq import USER
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from atleastonce.addresses import Addresses
    from atleastonce.eventlog import EventLog
    from atleastonce.services.cleanup import Reaper
    from atleastonce.services.gateway import Gateway
    from atleastonce.services.mail import Mail
    from atleastonce.services.postgres import Postgres
    from atleastonce.services.rabbitmq import RabbitMQ
    from atleastonce.services.redis import Redis

#: Where tasks can be published.
BROKERS = ("redis", "rabbitmq")


class Services(ABC):
    """Redis, Postgres, mail and gateway of one lab; running when this returns.

    Attributes:
        redis, postgres, mail, gateway: the handles; ``rabbitmq`` is for first use.
        addresses: where they are; ``lab_file`` holds them for other processes.
        events: the log that all processes of the lab append to.

    Args:
        stem: the notebook's name, such as ``01_duplicates``; for people.
        settings: default: the environment's.
    """

    redis: Redis
    postgres: Postgres
    mail: Mail
    gateway: Gateway
    addresses: Addresses
    events: EventLog

    def __init__(self, stem: str, settings: Settings | None) -> None:
        self.stem, self._settings = stem, settings or Settings.from_env()
        self._lab, self._beside = LabFolder(stem), ExitStack()
        self._rabbitmq, self._saying = Later(self._start_rabbitmq), Lock()
        self._second = Later(self._start_second)

    def _say(self, **news: Any) -> None:  # noqa: ANN401 - fields of Addresses
        with self._saying:
            self.addresses = replace(self.addresses, **news)
            self.addresses.save(self.lab_file)

    def begin_rabbitmq(self) -> None:
        """Start RabbitMQ in the background, where it is installed."""
        self._rabbitmq.begin()

    @property
    def rabbitmq(self) -> RabbitMQ:
        """RabbitMQ; an embedded one starts on first use and takes 2 to 5 s.

        Raises:
            NoService: it is not on this machine.
            ServiceError: it did not start.
        """
        return self._rabbitmq.result()

    @property
    def has_rabbitmq(self) -> bool:
        """True once it runs, or was told to start."""
        return self._rabbitmq.begun

    def _start_rabbitmq(self) -> RabbitMQ:
        node = self._open_rabbitmq()
        self._say(
            rabbitmq_host=node.host,
            rabbitmq_port=node.port,
            rabbitmq_user=USER,
            rabbitmq_password=node.password,
        )
        return node

    @abstractmethod
    def _open_rabbitmq(self) -> RabbitMQ:
        """A RabbitMQ that answers."""

    @property
    def second_redis(self) -> Redis:
        """A second Redis, empty; an embedded one starts on first use.

        Raises:
            ServiceError: it did not start.
        """
        return self._second.result()

    @property
    def has_second_redis(self) -> bool:
        """True once it runs, or was told to start."""
        return self._second.begun

    @abstractmethod
    def _start_second(self) -> Redis:
        """A second Redis that answers."""

    def use(self, broker: str) -> None:
        """Have tasks published to *broker* from now on: ``redis`` or ``rabbitmq``.

        Raises:
            NoService: RabbitMQ is not on this machine.
            ServiceError: there is no such broker, or it did not start.
        """
        if broker not in BROKERS:
            raise ServiceError(
                f"There is no broker {broker!r}.", attempt='"redis" or "rabbitmq"'
            )
        if broker == "rabbitmq":
            self._rabbitmq.result()
        self._say(broker=broker)

    @property
    def folder(self) -> Path:
        """The lab's folder."""
        return self._lab.path

    @property
    def lab_file(self) -> Path:
        """The file of addresses; a process of the lab finds it in its environment."""
        return self._lab.lab_file

    @property
    def reaper(self) -> Reaper:
        """Where other processes of the lab are registered."""
        return self._lab.reaper

    def close(self) -> None:
        """Kill every process of the lab and remove its folder; can be called again."""
        self._beside.close()
        self._lab.close()
        for name in ("redis", "postgres"):
            if hasattr(self, name):
                getattr(self, name).disconnect()
        if self.has_second_redis:
            self.second_redis.disconnect()

    def __enter__(self) -> Self:
        """The running services."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close them."""
        self.close()
