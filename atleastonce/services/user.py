"""Which user a native service runs as, and what that user can reach."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: "nobody" on every Linux: Postgres refuses to run as root, and Redis has no need to.
NOBODY = 65534


def service_user() -> int | None:
    """The user and group id that services drop to; None: they run as we do."""
    return NOBODY if os.geteuid() == 0 else None


def enterable(folder: Path, user: int | None) -> bool:
    """True if *user*, who owns nothing (None: we), may enter *folder*."""
    real = folder.resolve()
    if user is None:
        return os.access(real, os.X_OK)
    return all(step.stat().st_mode & 0o001 for step in (real, *real.parents))


def runnable(binary: Path, user: int | None) -> bool:
    """True if *user*, who owns nothing (None: we), may run *binary*."""
    if user is None:
        return os.access(binary, os.X_OK)
    return enterable(binary.parent, user) and binary.stat().st_mode & 0o005 == 0o005  # noqa: PLR2004 - r-x of others


def has_name() -> bool:
    """False for a user id without an entry in /etc/passwd, as in many containers."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return True
