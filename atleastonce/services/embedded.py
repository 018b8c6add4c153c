"""All services of one lab as processes of our own: the mode that needs no Docker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from atleastonce.addresses import Addresses
from atleastonce.errors import ServiceError
from atleastonce.eventlog import EventLog
from atleastonce.services.folder import LabFolder, writing
from atleastonce.services.gateway import Gateway
from atleastonce.services.later import Later
from atleastonce.services.mail import Mail
from atleastonce.services.postgres import DATABASE, SUPERUSER, Postgres
from atleastonce.services.rabbitmq import USER, RabbitMQ
from atleastonce.services.redis import Redis, SecondRedis
from atleastonce.services.template import open_postgres, shop_template
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from atleastonce.services.cleanup import Reaper
    from atleastonce.services.template import Template


#: Where tasks can be published.
BROKERS = ("redis", "rabbitmq")


class Embedded:
    """Redis, Postgres, mail and gateway of one lab; running when this returns.

    Nothing is shared with another lab. Whatever ends this process, its services and
    its folder are gone within 2 s.

    Attributes:
        redis, postgres, mail, gateway: the handles; ``rabbitmq`` starts on first use.
        addresses: where they are; ``lab_file`` holds them for other processes.
        events: the log that all processes of the lab append to.

    Args:
        stem: the notebook's name, such as ``01_duplicates``; for people.
        settings: default: the environment's.
        template: what the database holds at the start; default: the shop's tables.
        redis: directives of redis.conf, such as ``{"appendonly": "yes"}``.
        beside: called just before the services start, to start what needs none of
            them; what it returns ends that, and is called first when the lab closes.

    Raises:
        NoService: a server is not on this machine.
        ServiceError: a service can't be started, or there is no room.
    """

    redis: Redis
    postgres: Postgres
    mail: Mail
    gateway: Gateway

    def __init__(
        self,
        stem: str,
        *,
        settings: Settings | None = None,
        template: Callable[[LabFolder], Template] = shop_template,
        redis: dict[str, str] | None = None,
        beside: Callable[[LabFolder], Callable[[], None]] | None = None,
    ) -> None:
        self.stem, self._settings = stem, settings or Settings.from_env()
        self._lab, self._beside = LabFolder(stem), ExitStack()
        self._rabbitmq, self._saying = Later(self._start_rabbitmq), Lock()
        self._second = Later(self._start_second)
        self.events = EventLog(self._lab.events)
        try:
            with writing(self.folder):
                self._prepare(redis or {})
                if beside:
                    self._beside.callback(beside(self._lab))
                self._start_all(lambda: self._open_postgres(template))
                self._publish()
        except BaseException:
            self.close()
            raise

    def _prepare(self, options: dict[str, str]) -> None:
        # Mail and gateway read the folder and the secret there as they start.
        self.addresses = Addresses(
            folder=str(self.folder),
            events=str(self._lab.events),
            secret=self._lab.secret,
        )
        self.addresses.save(self.lab_file)
        self.redis = Redis(self._lab, self._settings, **options)
        self.mail, self.gateway = Mail(self._lab), Gateway(self._lab)

    def _open_postgres(self, template: Callable[[LabFolder], Template]) -> None:
        self.postgres = open_postgres(self._lab, self._settings, template(self._lab))

    def _start_all(self, start_postgres: Callable[[], None]) -> None:
        pool = ThreadPoolExecutor(max_workers=4)
        # The slowest first: each waits for its process most of the time.
        starts = [self.gateway.start, start_postgres, self.mail.start, self.redis.start]
        try:
            for started in [pool.submit(start) for start in starts]:
                started.result()
        except BaseException:
            # What the other threads wait for ends with the lab.
            self._lab.close()
            raise
        finally:
            pool.shutdown()

    def _publish(self) -> None:
        self._say(
            redis_port=self.redis.port,
            redis_password=self.redis.password,
            postgres_port=self.postgres.port,
            postgres_user=SUPERUSER,
            postgres_password=self.postgres.password,
            postgres_db=DATABASE,
            smtp_port=self.mail.port,
            mail_url=self.mail.url,
            gateway_url=self.gateway.url,
        )

    def _say(self, **news: Any) -> None:  # noqa: ANN401 - fields of Addresses
        with self._saying:
            self.addresses = replace(self.addresses, **news)
            self.addresses.save(self.lab_file)

    def begin_rabbitmq(self) -> None:
        """Start RabbitMQ in the background, where it is installed."""
        self._rabbitmq.begin()

    @property
    def rabbitmq(self) -> RabbitMQ:
        """RabbitMQ, which starts on first use and takes 2 to 5 s.

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
        node = RabbitMQ(self._lab, self._settings)
        node.start()
        self._say(
            rabbitmq_port=node.port,
            rabbitmq_user=USER,
            rabbitmq_password=node.password,
        )
        return node

    @property
    def second_redis(self) -> Redis:
        """A second Redis, empty, which starts on first use.

        Raises:
            ServiceError: it did not start.
        """
        return self._second.result()

    @property
    def has_second_redis(self) -> bool:
        """True once it runs, or was told to start."""
        return self._second.begun

    def _start_second(self) -> Redis:
        second = SecondRedis(self._lab, self._settings)
        second.start()
        return second

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
        """Kill every process of the lab and remove its folder; can be called again.

        The services go all at once: what they hold is thrown away.
        """
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
