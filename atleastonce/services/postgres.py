"""A Postgres server on one data folder."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, ClassVar

import psycopg

from atleastonce.services.ports import HOST
from atleastonce.services.service import Service
from atleastonce.services.user import service_user

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.services.binaries import Binary
    from atleastonce.services.folder import LabFolder
    from atleastonce.services.process import Process

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
        super().__init__(folder)

    def _command(self) -> Process:
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
            host=HOST,
            port=self.port,
            user=SUPERUSER,
            password=self.password,
            dbname=database or self.database,
            connect_timeout=int(timeout),
            autocommit=True,
        )

    def rows(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """What *sql* returns, on a connection of its own; no rows for a command."""
        with self.connect() as connection:
            # A learner's SQL comes as a plain string.
            cursor = connection.execute(sql.encode(), args or None)
            return cursor.fetchall() if cursor.description else []

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
