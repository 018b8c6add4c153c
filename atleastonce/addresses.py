"""Where the services of one lab are: what its processes read to find them."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

from atleastonce.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Addresses:
    """Where the services of one lab are, and their generated secrets.

    The lab writes it to a file of mode 0600, whose path its processes find in
    ``ATLEASTONCE_LAB_FILE``. Hosts are loopback, or containers; ports are TCP.
    """

    folder: str
    events: str  # the append-only file of events
    secret: str  # token of the control APIs; Django's SECRET_KEY too
    redis_host: str = "127.0.0.1"
    redis_port: int = 0
    redis_password: str = ""
    postgres_host: str = "127.0.0.1"
    postgres_port: int = 0
    postgres_user: str = ""
    postgres_password: str = ""
    postgres_db: str = "shop"
    smtp_host: str = "127.0.0.1"
    smtp_port: int = 0
    mail_url: str = ""  # control API of the mail catcher
    gateway_url: str = ""
    rabbitmq_host: str = "127.0.0.1"
    rabbitmq_port: int = 0  # until a node runs
    rabbitmq_user: str = ""
    rabbitmq_password: str = ""
    broker: str = "redis"  # or rabbitmq: where tasks are published

    @property
    def broker_url(self) -> str:
        """The URL of the broker in use, password included."""
        return self.rabbitmq_url() if self.broker == "rabbitmq" else self.redis_url(0)

    @property
    def broker_host(self) -> str:
        """The host of the broker in use."""
        return self.rabbitmq_host if self.broker == "rabbitmq" else self.redis_host

    @property
    def broker_port(self) -> int:
        """The port of the broker in use."""
        return self.rabbitmq_port if self.broker == "rabbitmq" else self.redis_port

    def by_way_of(self, port: int) -> Addresses:
        """The same lab, whose broker is reached through *port* of this machine."""
        host = "127.0.0.1"
        if self.broker == "rabbitmq":
            return replace(self, rabbitmq_host=host, rabbitmq_port=port)
        return replace(self, redis_host=host, redis_port=port)

    def rabbitmq_url(self) -> str:
        """The URL of RabbitMQ's virtual host ``/``, password included."""
        return (
            f"amqp://{self.rabbitmq_user}:{self.rabbitmq_password}"
            f"@{self.rabbitmq_host}:{self.rabbitmq_port}//"
        )

    def redis_url(self, db: int = 0) -> str:
        """The URL of one Redis database, password included."""
        secret = f":{self.redis_password}@" if self.redis_password else ""
        return f"redis://{secret}{self.redis_host}:{self.redis_port}/{db}"

    def dsn(self, db: str = "") -> str:
        """A libpq connection URL, password included."""
        return (
            f"postgresql://{self.postgres_user}:{self.postgres_password}"
            f"@{self.postgres_host}:{self.postgres_port}/{db or self.postgres_db}"
        )

    def save(self, path: Path) -> None:
        """Write them to *path*, readable by the owner only, all or nothing."""
        new = path.with_suffix(".new")
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "w") as file:
            json.dump(asdict(self), file)
        new.replace(path)

    @classmethod
    def load(cls, path: Path) -> Addresses:
        """Read them back.

        Raises:
            SettingsError: the file is missing or not one of ours.
        """
        try:
            found = json.loads(path.read_text())
            return cls(**{f.name: found[f.name] for f in fields(cls)})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SettingsError(
                f"The lab file {path} can't be read.",
                seen=f"{type(error).__name__}: {error}",
                attempt="open the lab again: lab = Lab(...)",
            ) from None
