"""Look the machine over: what lessons need, what is here, how to get the rest."""

from __future__ import annotations

import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from atleastonce import course, needs
from atleastonce.errors import AtLeastOnceError
from atleastonce.scratch import scratch
from atleastonce.services import binaries
from atleastonce.settings import Settings, in_force

if TYPE_CHECKING:
    from collections.abc import Callable

OK, LOW, MISSING = "ok", "low", "missing"
MIB = 1024 * 1024

#: JupyterLab, a kernel, two workers and the services of a lab, measured: 340 MiB.
MEMORY = 700 * MIB
#: A Postgres template, a cluster for each open lab and logs.
DISK = 300 * MIB
#: With less than this no lab opens at all.
NO_DISK = 50 * MIB
#: How long one question to Docker may take; its engine may hang. Seconds.
PATIENCE = 3.0


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what it is.
        state: ``ok``, ``low`` or ``missing``.
        found: version, place, numbers.
        attempt: how to get it; "" when it is ok.
        required: lessons can't run while it is missing.
    """

    name: str
    state: str
    found: str
    attempt: str = ""
    required: bool = False

    @property
    def blocks(self) -> bool:
        """Whether lessons can't run because of it."""
        return self.required and self.state == MISSING

    def as_dict(self) -> dict[str, object]:
        """What ``--json`` prints."""
        return {**asdict(self), "blocks": self.blocks}


def python() -> Finding:
    """The interpreter: CPython 3.11 to 3.13."""
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return Finding(
        "Python",
        OK if fits else MISSING,
        f"{platform.python_version()}, {sys.executable}",
        "" if fits else "make clean start PYTHON=python3.12",
        required=True,
    )


def system() -> Finding:
    """The operating system: lessons send signals and read /proc."""
    linux = sys.platform == "linux"
    return Finding(
        "System",
        OK if linux else MISSING,
        f"{platform.system()} {platform.release()}, {platform.machine()}",
        "" if linux else "Docker or GitHub Codespaces; on Windows, WSL 2",
        required=True,
    )


def packages() -> Finding:
    """What requirements.txt pins, against what is installed."""
    wrong = [text for text in map(_mismatch, _pins()) if text]
    versions = [f"{p} {_installed(p)}" for p in ("celery", "django", "jupyterlab")]
    return Finding(
        "Packages",
        MISSING if wrong else OK,
        "; ".join(wrong or versions),
        "make clean start" if wrong else "",
        required=any("no " in text for text in wrong),
    )


def _pins() -> list[tuple[str, str]]:
    file = course.folder() / "requirements.txt"
    text = file.read_text() if file.is_file() else ""
    return re.findall(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", text, re.MULTILINE)


def _mismatch(pin: tuple[str, str]) -> str:
    name, version = pin
    found = _installed(name)
    if not found:
        return f"no {name}"
    return "" if found == version else f"{name} {found}, not {version}"


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def redis() -> Finding:
    """The Redis that each lab starts for itself."""
    return _service("Redis", binaries.find_redis)


def postgres() -> Finding:
    """The Postgres that each lab starts for itself."""
    return _service("Postgres", binaries.find_postgres)


def _service(name: str, find: Callable[[Settings], binaries.Binary]) -> Finding:
    try:
        binary = find(Settings.from_env())
    except AtLeastOnceError as error:
        return Finding(name, MISSING, error.what, error.attempt, required=True)
    return Finding(name, OK, f"{binary.version}, {binary.path}", required=True)


def rabbitmq() -> Finding:
    """The optional second broker; a few cells of a few lessons need it."""
    name = "RabbitMQ"
    try:
        binary = binaries.find_rabbitmq(Settings.from_env())
        binaries.find_epmd()
    except AtLeastOnceError as error:
        found = "optional; its cells are skipped"
        return Finding(name, MISSING, found, error.attempt)
    return Finding(name, OK, f"{binary.version}, {binary.path}")


def docker() -> Finding:
    """Docker's engine; optional on Linux."""
    attempt = needs.OPTIONAL["docker"][1]
    if not needs.program("docker"):
        return Finding("Docker", MISSING, "optional; lessons run without it", attempt)
    ask = ["docker", "version", "--format", "{{.Server.Version}}"]
    try:
        done = subprocess.run(
            ask, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        found = "optional; its engine does not answer"
        return Finding("Docker", MISSING, found, "sudo systemctl start docker")
    return Finding("Docker", OK, f"engine {done.stdout.strip()}")


def memory() -> Finding:
    """Memory that is free now, within what a container may use."""
    total, free = psutil.virtual_memory().total, psutil.virtual_memory().available
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        limit = Path("/sys/fs/cgroup", name)
        if limit.is_file() and (text := limit.read_text().strip()).isdigit():
            total, free = min(total, int(text)), min(free, int(text))
    return Finding(
        "Memory",
        OK if free >= MEMORY else LOW,
        f"{free // MIB} MiB free of {total // MIB}",
        "" if free >= MEMORY else f"close programs until {MEMORY // MIB} MiB are free",
    )


def disk() -> Finding:
    """Room for a lab's own folder, and for the Postgres template kept between labs."""
    home = Settings.from_env().home
    place = min(_existing(home), scratch(), key=lambda p: shutil.disk_usage(p).free)
    free = shutil.disk_usage(place).free
    state = OK if free >= DISK else LOW if free >= NO_DISK else MISSING
    return Finding(
        "Disk",
        state,
        f"{free // MIB} MiB free at {place}",
        "" if state == OK else f"free {DISK // MIB} MiB, or set TMPDIR elsewhere",
        required=True,
    )


def folders() -> Finding:
    """Whether we may write where labs are made and templates are kept."""
    home = Settings.from_env().home
    for folder in (scratch(), _existing(home)):
        try:
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            attempt = "ATLEASTONCE_HOME and TMPDIR set to a folder of yours"
            return Finding("Folders", MISSING, str(error), attempt, required=True)
    return Finding("Folders", OK, f"{scratch()}, {home}", required=True)


def _existing(path: Path) -> Path:
    """The nearest folder above *path* that exists."""
    return next(p for p in (path, *path.parents) if p.is_dir())


def loopback() -> Finding:
    """A port on 127.0.0.1 that can be opened and reached."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = server.getsockname()
            socket.create_connection(address, timeout=PATIENCE).close()
    except OSError as error:
        attempt = "sudo ip link set lo up"
        return Finding("Loopback", MISSING, str(error), attempt, required=True)
    return Finding("Loopback", OK, "ports on 127.0.0.1 answer", required=True)


def variables() -> Finding:
    """Our own variables that are set: each changes what a lesson does."""
    try:
        Settings.from_env()
    except AtLeastOnceError as error:
        return Finding("Settings", MISSING, error.what, error.attempt, required=True)
    found = [f"{k}={v}" for k, v in in_force().items()]
    return Finding("Settings", OK, ", ".join(found) or "none set")


def examine() -> list[Finding]:
    """Look at everything; under a second."""
    if (broken := variables()).blocks:
        return [broken]
    looks = (
        *(python, system, packages, redis, postgres, rabbitmq, docker),
        *(memory, disk, folders, loopback, variables),
    )
    return [look() for look in looks]
