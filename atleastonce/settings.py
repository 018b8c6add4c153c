"""What the environment says; the only module that touches it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atleastonce.addresses import Addresses
from atleastonce.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Every variable we read, with what it is for; ``doctor`` prints the ones that are set.
VARIABLES = {
    "ATLEASTONCE_MODE": "embedded (default), compose, or course (set in its container)",
    "ATLEASTONCE_COMPOSE": "folder of the containers' secrets, and what they share",
    "ATLEASTONCE_HOME": "folder of Postgres templates and copied binaries",
    "ATLEASTONCE_REQUIRE": "services whose absence fails instead of skipping",
    "ATLEASTONCE_PATIENCE": "a factor of lab.wait's timeouts; 10 on a busy machine",
    "ATLEASTONCE_REDIS_SERVER": "path of the redis-server binary",
    "ATLEASTONCE_REDIS_PORT": "a fixed port in place of a free one",
    "ATLEASTONCE_POSTGRES_BIN": "folder with initdb and postgres",
    "ATLEASTONCE_RABBITMQ_SERVER": "path of the rabbitmq-server script",
    "ATLEASTONCE_LAB_FILE": "addresses of the lab a process belongs to (set by us)",
    "ATLEASTONCE_CELERY": "Celery settings of one worker, as JSON (set by us)",
    "ATLEASTONCE_WORKER": "name of one worker, such as w1 (set by us)",
    "ATLEASTONCE_CLOCK": "seconds that one worker's clock is ahead (set by us)",
    "ATLEASTONCE_APP": "Celery app of a project of one's own (set by us)",
    "ATLEASTONCE_ALLOW": "what else that project may connect to (set by us)",
}
#: Where services come from: processes of each lab; the containers, seen from the host;
#: the containers, seen from the one with JupyterLab, which has no way to the engine.
MODES = ("embedded", "compose", "course")
#: In the clone; the package is installed editable.
_BESIDE = Path(__file__).resolve().parent.parent / ".atleastonce" / "compose"
#: What would lead a client past the addresses that it is given: libpq's defaults, and
#: what Celery 5.7 prefers to any setting.
LEADING = re.compile(r"PG[A-Z]|CELERY_(BROKER_(READ_|WRITE_)?URL|RESULT_BACKEND)$")


@dataclass(frozen=True)
class Settings:
    """The environment of this process, read once per call of ``from_env``."""

    mode: str
    compose: Path
    project: str
    engine: str
    home: Path
    require: frozenset[str]
    redis_server: str
    redis_port: int
    postgres_bin: str
    rabbitmq_server: str
    lab_file: Path | None
    celery: dict[str, Any]
    worker: str
    clock: float
    app: str
    allow: frozenset[str]
    django: str
    notebook: str
    tmpdir: str

    @classmethod
    def from_env(cls) -> Settings:
        """Read the environment.

        Raises:
            SettingsError: a variable holds what we can't use.
        """
        env = os.environ
        lab_file = env.get("ATLEASTONCE_LAB_FILE", "")
        return cls(
            mode=_choice("ATLEASTONCE_MODE", MODES),
            compose=Path(env.get("ATLEASTONCE_COMPOSE") or _BESIDE),
            project=env.get("COMPOSE_PROJECT_NAME") or "atleastonce",
            engine=env.get("DOCKER_HOST") or "unix:///var/run/docker.sock",
            home=Path(env.get("ATLEASTONCE_HOME") or _default_home()),
            require=_names("ATLEASTONCE_REQUIRE"),
            redis_server=env.get("ATLEASTONCE_REDIS_SERVER", ""),
            redis_port=_port("ATLEASTONCE_REDIS_PORT"),
            postgres_bin=env.get("ATLEASTONCE_POSTGRES_BIN", ""),
            rabbitmq_server=env.get("ATLEASTONCE_RABBITMQ_SERVER", ""),
            lab_file=Path(lab_file) if lab_file else None,
            celery=_json("ATLEASTONCE_CELERY"),
            worker=env.get("ATLEASTONCE_WORKER", ""),
            clock=float(env.get("ATLEASTONCE_CLOCK") or 0),
            app=env.get("ATLEASTONCE_APP", ""),
            allow=_names("ATLEASTONCE_ALLOW"),
            django=env.get("DJANGO_SETTINGS_MODULE", ""),
            # JupyterLab sets it for its kernels; nbval and nbclient do not.
            notebook=env.get("JPY_SESSION_NAME", ""),
            tmpdir=env.get("TMPDIR", ""),
        )

    def addresses(self) -> Addresses:
        """The addresses of the lab this process belongs to.

        Raises:
            SettingsError: this process belongs to no lab.
        """
        if self.lab_file is None:
            raise SettingsError(
                "ATLEASTONCE_LAB_FILE is not set: this process belongs to no lab.",
                attempt='lab = Lab("01_duplicates") in the notebook first',
            )
        return Addresses.load(self.lab_file)


def export(**variables: str | None) -> None:
    """Set variables that libraries read in this process; None removes one."""
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def go_direct(host: str) -> None:
    """Have HTTP clients of this process reach *host* without the machine's proxy."""
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [h for h in os.environ.get(name, "").split(",") if h]
        if host not in hosts:
            os.environ[name] = ",".join([*hosts, host])


def leading() -> list[str]:
    """The variables that are set and would lead clients elsewhere."""
    return [name for name in os.environ if LEADING.match(name)]


def patience() -> float:
    """By how much a lab waits longer for a condition; 1 unless the machine is busy."""
    return float(os.environ.get("ATLEASTONCE_PATIENCE") or 1)


def in_force() -> dict[str, str]:
    """Those of VARIABLES that are set."""
    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}


def inherited(names: Iterable[str]) -> dict[str, str]:
    """The variables in *names* that are set, and all of the course's own."""
    chosen = {*names, *VARIABLES}
    return {name: value for name, value in os.environ.items() if name in chosen}


def _default_home() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if cache:
        return Path(cache, "atleastonce")
    home = Path(os.environ.get("HOME") or "/nonexistent")
    # A user without a home folder still gets a place of their own.
    if home.is_dir() and os.access(home, os.W_OK) and os.geteuid():
        return home / ".cache" / "atleastonce"
    return Path(f"/var/tmp/atleastonce-{os.geteuid()}")  # noqa: S108 - made 0711 and checked for its owner


def _names(name: str) -> frozenset[str]:
    return frozenset(os.environ.get(name, "").replace(",", " ").split())


def _choice(name: str, choices: tuple[str, ...]) -> str:
    value = os.environ.get(name) or choices[0]
    if value not in choices:
        raise SettingsError(
            f"{name} is {value!r}; it may be {' or '.join(choices)}.",
            attempt=f"unset {name}",
        )
    return value


def _port(name: str) -> int:
    value = os.environ.get(name) or "0"
    if not value.isdigit() or int(value) > 65535:  # noqa: PLR2004 - the largest TCP port
        raise SettingsError(
            f"{name} is {value!r}; it must be a port from 1 to 65535.",
            attempt=f"unset {name}",
        )
    return int(value)


def _json(name: str) -> dict[str, Any]:
    try:
        found = json.loads(os.environ.get(name) or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise SettingsError(f"{name} is not a JSON object.", attempt=f"unset {name}")
    return found
