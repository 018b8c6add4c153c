"""The folder of one lab: what its processes write, and who is responsible for them."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.errors import ServiceError
from atleastonce.scratch import scratch
from atleastonce.services import reaper as proc
from atleastonce.services.cleanup import Reaper
from atleastonce.services.process import Process, child_env
from atleastonce.services.user import enterable, service_user

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: A lab's folder is about 33 MiB after its start, most of it the Postgres cluster.
NEEDED = 64 * 1024 * 1024
OWNER_FILE = "owner.json"


class LabFolder:
    """Make the folder and start the reaper that removes it.

    Attributes:
        path: the folder; others may enter it, but not list it.
        lab_file: where the lab's addresses go.
        events: the file of events.
        reaper: where what is to be cleaned up is registered.
        secret: token of the control APIs of this lab, random.

    Args:
        stem: the notebook's name, such as ``01_duplicates``; for people.

    Raises:
        ServiceError: there is no room for a lab.
    """

    def __init__(self, stem: str) -> None:
        parent = scratch()
        with writing(parent):
            _check(parent)
            # The reaper comes first: from here on nothing can be left behind.
            self.reaper = Reaper()
            self.path = parent / f"{proc.PREFIX}{secrets.token_hex(8)}"
            self.reaper.add_folder(self.path)
            self.path.mkdir(mode=0o700)
            self.path.chmod(0o711)
            (self.path / "log").mkdir()
            self._sign(stem)
        self.lab_file, self.events = self.path / "lab.json", self.path / "events.jsonl"
        self.secret = secrets.token_hex(16)
        self._processes: list[Process] = []

    def _sign(self, stem: str) -> None:
        (self.path / OWNER_FILE).write_text(
            json.dumps({"stem": stem, "pid": os.getpid(), "identity": identity()})
        )

    def process(
        self,
        name: str,
        argv: Sequence[str | Path],
        *,
        env: dict[str, str] | None = None,
        stdin: bytes | None = None,
        user: int | None = None,
    ) -> Process:
        """A process of this lab, not started yet; it logs to ``log/<name>.log``."""
        made = Process(
            name,
            argv,
            log=self.path / "log" / f"{name}.log",
            reaper=self.reaper,
            env=self.env(**(env or {})),
            cwd=self.path,
            stdin=stdin,
            user=user,
        )
        self._processes.append(made)
        return made

    def env(self, **more: str) -> dict[str, str]:
        """The environment of a process of this lab."""
        return child_env(**{proc.TOKEN: self.lab_file, **more})

    def subfolder(self, name: str, user: int | None) -> Path:
        """A new folder for a service that runs as *user* (None: as we do)."""
        folder = self.path / name
        folder.mkdir(mode=0o700, exist_ok=True)
        if user is not None:
            os.chown(folder, user, user)
        return folder

    def close(self) -> None:
        """Kill every process of the lab and remove the folder."""
        self.reaper.close()
        for process in self._processes:
            process.poll()  # takes its exit status: no zombie is left either


def identity(pid: int | None = None) -> list[str]:
    """What tells process *pid* (default: us) from all others that have its number.

    Another container may see the same folder, and count its processes anew.
    """
    row = proc.read_row(pid or os.getpid())
    namespace = str(Path("/proc/self/ns/pid").readlink())
    return [namespace, str(row.started if row else "ended")]


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what goes wrong when writing below *folder* into one clear error."""
    try:
        yield
    except OSError as error:
        full = error.errno == errno.ENOSPC
        raise ServiceError(
            f"The folder {folder} {'is full' if full else 'can not be written'}.",
            seen=str(error),
            attempt="export TMPDIR=/var/tmp",
        ) from None


def _check(parent: Path) -> None:
    if not enterable(parent, service_user()):
        raise ServiceError(
            f"The folder {parent} can not be entered by user {service_user()}, "
            "which Redis and Postgres run as when you are root.",
            attempt="export TMPDIR=/var/tmp",
        )
    free = shutil.disk_usage(parent).free
    if free < NEEDED:
        raise ServiceError(
            f"The folder {parent} has {free / 2**20:.1f} MiB free; "
            f"a lab needs {NEEDED // 2**20} MiB.",
            attempt="export TMPDIR=/var/tmp",
        )
