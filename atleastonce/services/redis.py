"""A Redis of its own for one lab."""

from __future__ import annotations

import secrets
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from atleastonce.services.binaries import find_redis
from atleastonce.services.ports import HOST
from atleastonce.services.service import Service
from atleastonce.services.user import service_user
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.services.folder import LabFolder
    from atleastonce.services.supervised import Supervised
    from atleastonce.settings import Settings

#: Seconds until a client gives up on a frozen server.
TIMEOUT = 5.0


class Redis(Service):
    """Redis, without persistence unless *options* say otherwise.

    Args:
        folder: the lab it belongs to.
        settings: where its binary is, and a fixed port.
        options: directives of redis.conf, such as ``appendonly="yes"`` or
            ``maxmemory_policy="allkeys-lru"`` (an underscore stands for a dash).

    Raises:
        NoService: this machine has no Redis.
    """

    name: ClassVar[str] = "redis"

    def __init__(self, folder: LabFolder, settings: Settings, **options: str) -> None:
        self.binary = find_redis(settings)
        self.password = secrets.token_hex(16)
        self._options = {"save": '""', "appendonly": "no"} | directives(options)
        self._data = folder.subfolder(self.name, service_user())
        self._clients: dict[int, redis.Redis] = {}
        super().__init__(folder, port=self._fixed(settings))

    def _fixed(self, settings: Settings) -> int:
        return settings.redis_port

    def _command(self) -> Supervised:
        # On stdin, so that the password stands in no command line and no file.
        return self.folder.process(
            self.name,
            [self.binary.path, "-"],
            env={"LC_ALL": "C"},
            stdin=self._config().encode(),
            user=service_user(),
        )

    def _config(self) -> str:
        fixed = {
            "bind": HOST,
            "port": str(self.port),
            "requirepass": self.password,
            "dir": str(self._data),
            "daemonize": "no",
        }
        lines = (self._options | fixed).items()
        return "".join(f"{name} {value}\n" for name, value in lines)

    @contextmanager
    def configured(self, **options: str) -> Iterator[None]:
        """Run with these directives inside the block, restarts included.

        What it has written to disk is gone at the end of the block.

        Args:
            **options: directives of redis.conf, such as ``appendonly="yes"``.

        Raises:
            redis.ResponseError: Redis has no such directive.
        """
        client, new = self.client(), directives(options)
        old = {name: client.config_get(name)[name] or "" for name in new}
        before, self._options = self._options, self._options | new
        try:
            self._set(new)
            yield
        finally:
            self._options = before
            self._set(old)
            # A later start would read them.
            shutil.rmtree(self._data / "appendonlydir", ignore_errors=True)
            (self._data / "dump.rdb").unlink(missing_ok=True)

    def _set(self, new: dict[str, str]) -> None:
        """Set them now; an append-only file is complete on return."""
        client = self.client()
        for name, value in new.items():
            client.config_set(name, value.strip('"'))
        wait_until(
            lambda: not client.info("persistence")["aof_rewrite_in_progress"],
            timeout=TIMEOUT,
            what="the append-only file to be written",
        )

    def url(self, db: int = 0) -> str:
        """The URL of one database, password included: not for a command line."""
        return f"redis://:{self.password}@{self.host}:{self.port}/{db}"

    def client(self, db: int = 0) -> redis.Redis:
        """A client that decodes replies to text; one per database, kept."""
        if db not in self._clients:
            self._clients[db] = self._connect(db, TIMEOUT, retries=1)
        return self._clients[db]

    def _connect(self, db: int, timeout: float, retries: int) -> redis.Redis:
        # redis-py's own three retries pause for seconds, and follow timeouts too.
        broken = (redis.ConnectionError,)
        return redis.Redis(
            host=self.host,
            port=self.port,
            db=db,
            password=self.password,
            decode_responses=True,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), retries, broken),
        )

    def ping(self) -> bool:
        """True if it answers a PING within a second."""
        with self._connect(0, 1.0, retries=0) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

    def cut(self) -> None:
        """Close every client's connection, pub/sub included."""
        client = self.client()
        for kind in ("normal", "pubsub"):
            client.execute_command("CLIENT", "KILL", "TYPE", kind)
        self.disconnect()

    def disconnect(self) -> None:
        """Close the connections of our own clients; they connect again when used."""
        for client in self._clients.values():
            client.connection_pool.disconnect()


class SecondRedis(Redis):
    """Another one beside it: a broker and its results can be kept apart."""

    name: ClassVar[str] = "second-redis"

    def _fixed(self, settings: Settings) -> int:  # noqa: ARG002 - that port is the first one's
        return 0


def directives(options: dict[str, str]) -> dict[str, str]:
    """Options by the names that redis.conf has for them."""
    return {name.replace("_", "-"): value for name, value in options.items()}
