"""Where the folders of labs are made: in memory, where there is room."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from atleastonce.settings import Settings

#: Linux keeps this folder in memory; containers often have 64 MiB of it.
MEMORY = Path("/dev/shm")  # noqa: S108 - its folders get random names
#: Bytes that must be free there; a lab takes about 33 MiB.
ROOM = 1024**3
#: Where Python looks for a temporary folder, and where our errors send people.
USUAL = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - to find what is there


def scratch() -> Path:
    """The folder below which labs are made: ``TMPDIR``, else memory, else the system's.

    A Postgres cluster is 800 files. Copying them takes 0.03 s in memory, and 0.6 s on
    an ext4 that has deleted many just now: it looks at each of those inodes again.
    """
    chosen = Settings.from_env().tmpdir or not _has_room(MEMORY)
    return Path(tempfile.gettempdir() if chosen else MEMORY).resolve()


def places() -> list[Path]:
    """Every folder that labs may be below, whatever memory had free at their start."""
    known = [Path(tempfile.gettempdir()), MEMORY, *USUAL]
    return sorted({folder.resolve() for folder in known if folder.is_dir()})


def _has_room(folder: Path) -> bool:
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    return shutil.disk_usage(folder).free >= ROOM
