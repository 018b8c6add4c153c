"""The folder that outlives labs: Postgres templates and copied binaries."""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from atleastonce.errors import ServiceError
from atleastonce.services.user import enterable, service_user
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from atleastonce.settings import Settings

#: Seconds to wait for another lab that builds the same thing.
PATIENCE = 120.0


def home_folder(settings: Settings, name: str) -> Path:
    """The folder *name* of our home, made if need be; others may only enter it.

    Raises:
        ServiceError: it can't be written, or belongs to another user.
    """
    folder = settings.home / name
    try:
        settings.home.parent.mkdir(parents=True, exist_ok=True)
        for step in (settings.home, folder):
            _own(step)
        _try_to_write(folder)
    except OSError as error:
        raise ServiceError(
            f"The folder {folder} can not be written.",
            seen=str(error),
            attempt=f"export ATLEASTONCE_HOME=/var/tmp/my-atleastonce-{os.geteuid()}",
        ) from None
    return folder


def _own(folder: Path) -> None:
    """Make *folder*, or see that nobody else can put programs of theirs into it."""
    if not folder.exists():
        _make(folder)
    owner = folder.stat().st_uid
    if owner not in {os.geteuid(), 0}:
        raise PermissionError(f"{folder} belongs to user {owner}")
    if not enterable(folder, service_user()):
        raise PermissionError(f"{folder} can't be entered by user {service_user()}")


def _make(folder: Path) -> None:
    """Make *folder* with its mode in one step, for others who look at the same time."""
    new = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}")
    new.mkdir()
    new.chmod(0o711)  # whatever our umask is
    try:
        new.rename(folder)
    except OSError:
        new.rmdir()
        if not folder.is_dir():
            raise


def _try_to_write(folder: Path) -> None:
    probe = folder / f".probe-{os.getpid()}"
    probe.touch()
    probe.unlink(missing_ok=True)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of *path*, against other processes and threads.

    The kernel gives it back when the holder dies, however it dies.
    """
    with path.with_suffix(".lock").open("w") as file:
        wait_until(
            lambda: _take(file.fileno()),
            timeout=PATIENCE,
            what=f"another lab that makes {path.name}",
            attempt="atleastonce services",
        )
        yield


def _take(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
