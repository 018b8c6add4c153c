"""A RabbitMQ node of its own for one lab."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

import amqp

from atleastonce.services.binaries import find_epmd, find_rabbitmq
from atleastonce.services.console import SOURCE, Console
from atleastonce.services.depths import Depth, queues
from atleastonce.services.epmd import Epmd
from atleastonce.services.ports import HOST, free_port
from atleastonce.services.service import Service
from atleastonce.services.user import service_user

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.services.folder import LabFolder
    from atleastonce.services.supervised import Supervised
    from atleastonce.settings import Settings

USER = "atleastonce"
#: Seconds; it loads a thousand modules, 2 to 3 s of CPU, and others may do so too.
PATIENCE = 180.0
#: How the folders of plugins are called, but one, which is a part of the server.
_PLUGINS, _PRELAUNCH = "rabbitmq_", "rabbitmq_prelaunch"
#: Erlang would start threads, each with memory of its own, for every core.
_THREADS = ["+S", "2:2", "+SDcpu", "1:1", "+SDio", "4"]
#: RabbitMQ 3.10 confirms a declaration when it is logged. The word that the log's entry
#: counts follows by itself, up to 2 s later; a kill in between took 5 queues of 98.
_SETTLED = "catch sys:get_state(mnesia_recover), catch mnesia:sync_log()"
#: Erlang terms: rabbitmq.conf would be parsed with a schema, which takes 1 s more. The
#: default user takes the place of guest, who is never made.
_CONFIGURATION = """\
[{{rabbit, [
    {{tcp_listeners, [{{"{host}", {port}}}]}},
    {{default_user, <<"{user}">>}},
    {{default_pass, <<"{password}">>}},
    {{disk_free_limit, 1000000}}
]}}].
"""


class RabbitMQ(Service):
    """RabbitMQ without plugins; its user may do everything, and there is no guest.

    Args:
        folder: the lab it belongs to.
        settings: where its start script is.

    Raises:
        NoService: this machine has no RabbitMQ, or no Erlang.
    """

    name: ClassVar[str] = "rabbitmq"

    def __init__(self, folder: LabFolder, settings: Settings) -> None:
        self.binary, self.password = find_rabbitmq(settings), secrets.token_hex(16)
        self._console = Console(folder.path)
        self._home = folder.subfolder("rabbitmq", service_user())
        self._epmd = Epmd(folder, find_epmd())
        self._write(".erlang.cookie", secrets.token_hex(16))
        self._write("console.erl", SOURCE.read_text())
        self._link_server()
        super().__init__(folder)

    def _write(self, name: str, text: str) -> None:
        """A file in the node's folder that only the node's user may read."""
        path = self._home / name
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(text)
        if (user := service_user()) is not None:
            os.chown(path, user, user)

    def _link_server(self) -> None:
        """The server's scripts and libraries, without those of its plugins.

        Erlang looks for each of a thousand modules in every folder that it is given.
        """
        scripts = self.binary.path.parent
        for folder in (scripts, scripts.with_name("plugins")):
            links = self._home / "server" / folder.name
            links.mkdir(parents=True)
            for found in folder.iterdir():
                if not found.name.startswith(_PLUGINS) or _PRELAUNCH in found.name:
                    (links / found.name).symlink_to(found)

    def _choose_ports(self) -> None:
        super()._choose_ports()
        self._distribution = free_port()

    def _command(self) -> Supervised:
        self._write("rabbitmq.config", self._configuration())
        # That of an earlier node: nobody answers there.
        self._console.path.unlink(missing_ok=True)
        loopback = ["-kernel", "inet_dist_use_interface", "{127,0,0,1}"]
        console = ["-eval", 'spawn(fun() -> file:eval("console.erl") end)']
        # It looks for code where it stands, so it stands at home.
        script: list[str | Path] = ["env", f"--chdir={self._home}", self.binary.path]
        return self.folder.process(
            self.name,
            [*script, *_THREADS, *loopback, *console],
            env=self._environment(self._home),
            user=service_user(),
        )

    def _configuration(self) -> str:
        return _CONFIGURATION.format(
            host=HOST, port=self.port, user=USER, password=self.password
        )

    def _environment(self, home: Path) -> dict[str, str]:
        files = {
            # Where there is no such file, nothing of /etc/rabbitmq is read.
            "RABBITMQ_CONF_ENV_FILE": home / "none",
            "RABBITMQ_ADVANCED_CONFIG_FILE": home / "none.config",
            "RABBITMQ_ENABLED_PLUGINS_FILE": home / "none.plugins",
            "RABBITMQ_CONFIG_FILE": home / "rabbitmq",
            "RABBITMQ_SCRIPTS_DIR": home / "server" / self.binary.path.parent.name,
            "RABBITMQ_PLUGINS_DIR": home / "server" / "plugins",
            "RABBITMQ_MNESIA_BASE": home,
            "RABBITMQ_LOG_BASE": home,
            "HOME": home,
        }
        return self._epmd.environment | {
            "RABBITMQ_NODENAME": "rabbit@localhost",
            "RABBITMQ_DIST_PORT": str(self._distribution),
            "RABBITMQ_LOGS": "-",
            # The start script becomes the node, in place of waiting for it.
            "RUNNING_UNDER_SYSTEMD": "true",
            "ERL_CRASH_DUMP_SECONDS": "0",
            "LC_ALL": "C.UTF-8",
            **{name: str(path) for name, path in files.items()},
        }

    @property
    def url(self) -> str:
        """Where it is, password included; for a Celery app."""
        return f"amqp://{USER}:{self.password}@{self.host}:{self.port}//"

    def start(self, timeout: float = PATIENCE) -> None:
        """Start it, and return when it answers; 2 to 5 s, more on busy cores.

        Raises:
            ServiceError: it can't be started.
        """
        self._epmd.start()
        super().start(timeout)

    def _taken(self) -> bool:
        said = self.process.tail(200)
        return "eaddrinuse" in said or "already in use" in said

    def ping(self) -> bool:
        """True if it lets its user in within a second, and its console is open."""
        try:
            self.connect(timeout=1.0).close()
        except (OSError, amqp.AMQPError):
            return False
        return self._console.path.exists()

    def connect(self, timeout: float = 5.0) -> amqp.Connection:
        """A new AMQP connection; close it after use."""
        connection = amqp.Connection(
            host=f"{self.host}:{self.port}",
            userid=USER,
            password=self.password,
            connect_timeout=timeout,
            read_timeout=timeout,
        )
        try:
            connection.connect()
        except BaseException:
            connection.collect()
            raise
        return connection

    def queues(self) -> dict[str, Depth]:
        """How deep each queue is, by name; without those by which workers talk.

        Asked of the queues themselves: exact, also for a quorum queue.
        """
        return queues(self._console)

    def evaluate(self, expression: str) -> str:
        """The value of an Erlang *expression* inside the node, as text.

        What ``rabbitmqctl eval`` does, without its 0.7 s.

        Raises:
            ServiceError: no answer, or Erlang's error.
        """
        return self._console.ask(expression)

    def restart(self) -> None:
        """Stop the broker and start it again inside its node; 1 to 2 s.

        As ``rabbitmqctl stop_app`` and ``start_app``: clients are disconnected, durable
        queues keep their persistent messages, everything else is gone.
        """
        if not self.process.alive:
            self.start()
            return
        self.thaw()
        self._console.ask("rabbit:stop(), rabbit:start()", PATIENCE)
        self.wait_ready(PATIENCE)

    def crash(self) -> None:
        """SIGKILL, then a new process on the same port; returns when it answers.

        Durable queues keep their persistent messages, everything else is gone; of what
        was confirmed none hangs on the moment.
        """
        if self.ping():
            self._console.ask(_SETTLED)
        super().crash()

    def cut(self) -> None:
        """Close the connections of all clients now, without a word of AMQP."""
        self._console.ask("Cut()")

    def stop(self) -> None:
        """A clean stop, of its port mapper too."""
        super().stop()
        self._epmd.stop()

    def clear(self) -> None:
        """Delete every queue, with its messages; no worker may run.

        Who has declared one must do so again: drop the app's connections.
        """
        with self.connect() as connection:
            for name in self.queues():
                with suppress(amqp.NotFound), connection.channel() as channel:
                    channel.queue_delete(name)
