"""A file is replaced as a whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from atleastonce.errors import GradingError


def write(path: Path, text: str) -> None:
    """Replace *path* by *text*, all or nothing; its mode stays.

    Raises:
        GradingError: the folder or the file can't be written.
    """
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).chmod(mode)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise GradingError(
            f"{path} can't be written.",
            seen=str(error),
            attempt=f"ls -ld {path.parent}; df -h {path.parent}",
        ) from None
