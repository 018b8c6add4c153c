"""A Postgres server on one data folder."""

from __future__ import annotations

import select
import signal
from typing import TYPE_CHECKING, Any, ClassVar

import psycopg

from atleastonce.services.service import Service
from atleastonce.services.user import service_user

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.services.binaries import Binary
    from atleastonce.services.folder import LabFolder
    from atleastonce.services.supervised import Supervised

SUPERUSER = "atleastonce"
DATABASE = "shop"


class Postgres(Service):
    """Postgres, started on the cluster in *data*.

    Args:
        folder: the lab it belongs to.
        binary: the server's program.
        data: the cluster.
        password: the superuser's.
        database: what clients connect to.
    """

    name: ClassVar[str] = "postgres"
    #: A "fast" shutdown: it ends the clients' connections, then itself.
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT

    def __init__(
        self,
        folder: LabFolder,
        binary: Binary,
        data: Path,
        password: str,
        database: str = DATABASE,
    ) -> None:
        self.binary, self.data = binary, data
        self.password, self.database = password, database
        self._kept: psycopg.Connection[tuple[Any, ...]] | None = None
        super().__init__(folder)

    def _command(self) -> Supervised:
        return self.folder.process(
            self.name,
            [self.binary.path, "-D", self.data, "-p", str(self.port)],
            env={"LC_ALL": "C"},
            user=service_user(),
        )

    def connect(
        self, database: str = "", timeout: float = 5.0
    ) -> psycopg.Connection[tuple[Any, ...]]:
        """A new superuser's connection in autocommit mode; close it after use."""
        return psycopg.connect(
            host=self.host,
            port=self.port,
            user=SUPERUSER,
            password=self.password,
            dbname=database or self.database,
            connect_timeout=int(timeout),
            autocommit=True,
        )

    def rows(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """What *sql* returns, in a session that is as new; no rows for a command.

        A connection is kept: another one costs 6 ms, and a sweep looks at each point.
        """
        connection = self._session()
        # A learner's SQL comes as a plain string.
        cursor = connection.execute(sql.encode(), args or None)
        return cursor.fetchall() if cursor.description else []

    def _session(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The kept connection, as new; another one where the server has ended it."""
        if self._kept and not _ended(self._kept):
            self._kept.execute("DISCARD ALL")
        else:
            self._kept = self.connect()
            # DISCARD drops prepared statements; psycopg would still count on them.
            self._kept.prepare_threshold = None
        return self._kept

    def disconnect(self) -> None:
        """Close the kept connection."""
        if self._kept:
            self._kept.close()
            self._kept = None

    def freeze(self) -> None:
        """Make it stand still: connections stay open, nothing is answered."""
        # A question on the kept connection would wait for ever; connecting gives up.
        self.disconnect()
        super().freeze()

    def change_password(self, password: str) -> None:
        """Give the superuser another password."""
        with self.connect() as connection:
            statement = f"ALTER ROLE {SUPERUSER} PASSWORD {{}}"
            connection.execute(psycopg.sql.SQL(statement).format(password))
        self.password = password

    def ping(self) -> bool:
        """True if it lets the superuser in within two seconds."""
        try:
            self.connect(timeout=2.0).close()
        except psycopg.Error:
            return False
        return True

    def cut(self) -> None:
        """End every client's connection; open transactions are rolled back."""
        self.rows(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )


def _ended(connection: psycopg.Connection[Any]) -> bool:
    """True if an idle connection is closed, or has something to say: its end."""
    if connection.closed:
        return True
    return bool(select.select([connection], [], [], 0)[0])
