"""A Postgres cluster with the shop's tables, made once and copied for every lab."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.addresses import Addresses
from atleastonce.errors import ServiceError
from atleastonce.services.binaries import Binary, find_postgres
from atleastonce.services.home import home_folder, locked
from atleastonce.services.ports import HOST
from atleastonce.services.postgres import DATABASE, SUPERUSER, Postgres
from atleastonce.services.user import has_name, service_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.services.folder import LabFolder
    from atleastonce.settings import Settings

#: fsync=off: a commit is in the kernel's hands at once, which survives every SIGKILL;
#: only a power cut could lose it. synchronous_commit stays on: without it a crash
#: would lose commits. mmap: nothing of a killed server stays in /dev/shm.
CONFIGURATION = f"""
listen_addresses = '{HOST}'
unix_socket_directories = ''
password_encryption = 'scram-sha-256'
fsync = off
full_page_writes = off
autovacuum = off
jit = off
huge_pages = off
dynamic_shared_memory_type = mmap
shared_buffers = 16MB
max_connections = 80
wal_level = minimal
max_wal_senders = 0
timezone = 'UTC'
log_timezone = 'UTC'
"""
#: Postgres 18 starts three processes for asynchronous reads otherwise.
CONFIGURATION_18 = "io_method = sync\n"
ACCESS = f"host all all {HOST}/32 scram-sha-256\n"
#: For initdb, whose own servers use /dev/shm otherwise; killed, they leave 1 MiB there.
#: Its option is as old as Postgres 16: a killed initdb of 15 does leave it.
INITDB_16 = ["--set", "dynamic_shared_memory_type=mmap"]
#: Part of a template's name: raise it when ``_make`` makes something else.
LAYOUT = 2
#: Seconds for initdb, the migrations or the copy, with all cores busy.
PATIENCE = 120.0
#: initdb asks for its user's name: where there is none, "nobody" stands in for it.
AS_NOBODY = ["unshare", "--user", "--map-user=65534", "--map-group=65534"]


@dataclass(frozen=True)
class Template:
    """What every lab's database holds at its start.

    Attributes:
        key: names what ``migrate`` makes; another key is another template.
        migrate: called once, with the running server and its empty database.
    """

    key: str
    migrate: Callable[[Postgres], None]


@dataclass(frozen=True)
class Cluster:
    """A finished template on disk: its data, and its superuser's password."""

    data: Path
    password: str


def open_postgres(lab: LabFolder, settings: Settings, template: Template) -> Postgres:
    """A started Postgres of this lab, with a copy of the template's cluster.

    Raises:
        NoService: this machine has no Postgres.
        ServiceError: the template can't be made, copied or started.
    """
    binary = find_postgres(settings)
    source = finished(lab, settings, template, binary)
    data = lab.path / "postgres"
    # As root it keeps the owner; file systems that can share the blocks do.
    lab.process("copy", ["cp", "-a", source.data, data]).run(PATIENCE)
    server = Postgres(lab, binary, data, source.password)
    server.start()
    server.change_password(secrets.token_hex(16))
    return server


def finished(
    lab: LabFolder, settings: Settings, template: Template, binary: Binary
) -> Cluster:
    """The cluster of *template*, made if it is not there yet.

    Two labs that open at once make it once: the second waits for the first.

    Raises:
        ServiceError: it can't be made or stored.
    """
    setup = f"{LAYOUT}{CONFIGURATION}{CONFIGURATION_18}{ACCESS}{template.key}"
    digest = hashlib.sha256(setup.encode()).hexdigest()[:16]
    target = home_folder(settings, "templates") / f"{binary.version}-{digest}"
    with locked(target):
        if not target.exists():
            _make(lab, template, binary, target)
    return Cluster(target / "data", (target / "password").read_text())


def _make(lab: LabFolder, template: Template, binary: Binary, target: Path) -> None:
    new = target.with_name(f"{target.name}.{secrets.token_hex(4)}")
    password = secrets.token_hex(16)
    with lab.reaper.admitting():
        lab.reaper.add_folder(new)
        new.mkdir(mode=0o700)
        (new / "password").write_text(password)
        _give(new, new / "password")
    _initdb(lab, binary, new)
    _configure(binary, new / "data")
    server = Postgres(lab, binary, new / "data", password, "postgres")
    server.start()
    try:
        _leave_two_databases(server)
        template.migrate(server)
        server.process.stop(PATIENCE, server.stop_signal)
    finally:
        server.process.kill()
    # After a power cut a template is whole or not there; its writers did not sync.
    os.sync()
    new.rename(target)


def _leave_two_databases(server: Postgres) -> None:
    """Make the shop's of one that is there: 300 files each are copied for every lab.

    Creating many files is dear where many were deleted just now: ext4 keeps off inodes
    for some seconds after their deletion, and looks at each of them.
    """
    with server.connect("template1") as connection:
        for statement in (
            f"ALTER DATABASE postgres RENAME TO {DATABASE}",
            "ALTER DATABASE template0 IS_TEMPLATE false",
            "DROP DATABASE template0",
        ):
            connection.execute(statement.encode())
    server.database = DATABASE


def _give(*paths: Path) -> None:
    user = service_user()
    for path in paths if user is not None else ():
        os.chown(path, user or 0, user or 0)


def _initdb(lab: LabFolder, binary: Binary, new: Path) -> None:
    options = {
        "pgdata": new / "data",
        "username": SUPERUSER,
        "pwfile": new / "password",
        "auth": "scram-sha-256",
        "encoding": "UTF8",
        "locale": "C",
        "wal-segsize": 1,
    }
    words = [f"--{name}={value}" for name, value in options.items()]
    words += INITDB_16 if binary.major >= 16 else []  # noqa: PLR2004 - the version
    initdb = [str(binary.path.with_name("initdb")), "--no-sync", *words]
    argv = initdb if has_name() else AS_NOBODY + initdb
    env = {"LC_ALL": "C"}
    try:
        lab.process("initdb", argv, env=env, user=service_user()).run(PATIENCE)
    except ServiceError as error:
        if not has_name():
            error.attempt = f"echo 'me:x:{os.geteuid()}:0::/:/bin/sh' >>/etc/passwd"
        raise


def _configure(binary: Binary, data: Path) -> None:
    with (data / "postgresql.conf").open("a") as file:
        file.write(CONFIGURATION)
        file.write(CONFIGURATION_18 if binary.major >= 18 else "")  # noqa: PLR2004 - the version
    (data / "pg_hba.conf").write_text(ACCESS)


def empty_template(_: LabFolder) -> Template:
    """The template without any table: a project of one's own makes its tables."""
    return Template("empty", lambda _: None)


def shop_template(lab: LabFolder) -> Template:
    """The template with the shop's tables, keyed by the shop's migrations."""
    spec = find_spec("atleastonce.shop")
    folders = spec.submodule_search_locations if spec else None
    digest = hashlib.sha256()
    for folder in folders or []:
        for file in sorted(Path(folder, "migrations").glob("*.py")):
            digest.update(file.read_bytes())
    return Template(digest.hexdigest(), lambda server: _migrate(lab, server))


def _migrate(lab: LabFolder, server: Postgres) -> None:
    """Run the shop's migrations; they read the server's address from a lab file."""
    file = lab.path / "template.json"
    Addresses(
        folder=str(lab.path),
        events=str(lab.events),
        secret=lab.secret,
        postgres_host=server.host,
        postgres_port=server.port,
        postgres_user=SUPERUSER,
        postgres_password=server.password,
        postgres_db=server.database,
    ).save(file)
    argv = [sys.executable, "-P", "-m", "atleastonce.shop.migrate"]
    env = {"ATLEASTONCE_LAB_FILE": str(file)}
    lab.process("migrate", argv, env=env).run(PATIENCE)


def fresh_database(server: Postgres, template: Template) -> None:
    """Give *server*, which others had before us, the database of a new lab.

    It is copied from one of the template's own, which is made once.

    Raises:
        ServiceError: the template can't be made.
    """
    source = f"shop_{template.key[:16]}"
    server.disconnect()
    with server.connect("postgres") as admin:

        def run(statement: str) -> None:
            admin.execute(statement.encode())

        known = "SELECT 1 FROM pg_database WHERE datname = %s"
        run(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        if not admin.execute(known, [source]).fetchone():
            run(f"CREATE DATABASE {DATABASE}")
            template.migrate(server)
            run(f"ALTER DATABASE {DATABASE} RENAME TO {source}")
        run(f"CREATE DATABASE {DATABASE} TEMPLATE {source}")
