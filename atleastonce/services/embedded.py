"""All services of one lab as processes of our own: the mode that needs no Docker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from atleastonce.addresses import Addresses
from atleastonce.eventlog import EventLog
from atleastonce.services.base import Services
from atleastonce.services.folder import writing
from atleastonce.services.gateway import Gateway
from atleastonce.services.mail import Mail
from atleastonce.services.postgres import DATABASE, SUPERUSER
from atleastonce.services.rabbitmq import RabbitMQ
from atleastonce.services.redis import Redis, SecondRedis
from atleastonce.services.template import open_postgres, shop_template

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.services.folder import LabFolder
    from atleastonce.services.template import Template
    from atleastonce.settings import Settings


class Embedded(Services):
    """Redis, Postgres, mail and gateway of one lab; running when this returns.

    Nothing is shared with another lab. Whatever ends this process, its services and
    its folder are gone within 2 s. ``close`` ends the services all at once: what they
    hold is thrown away.

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

    def __init__(
        self,
        stem: str,
        *,
        settings: Settings | None = None,
        template: Callable[[LabFolder], Template] = shop_template,
        redis: dict[str, str] | None = None,
        beside: Callable[[LabFolder], Callable[[], None]] | None = None,
    ) -> None:
        super().__init__(stem, settings)
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

    def _open_rabbitmq(self) -> RabbitMQ:
        node = RabbitMQ(self._lab, self._settings)
        node.start()
        return node

    def _start_second(self) -> Redis:
        second = SecondRedis(self._lab, self._settings)
        second.start()
        return second
