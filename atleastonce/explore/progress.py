"""Progress of a search, on a terminal or in JupyterLab; nowhere else."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from atleastonce.settings import Settings

if TYPE_CHECKING:
    from types import TracebackType

#: Seconds between two lines.
EVERY = 0.5


class Progress:
    """One line on stderr that is written over, and erased at the end."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty() or Settings.from_env().in_jupyterlab
        self._next = time.monotonic() + EVERY
        self._width = 0

    def show(self, text: str) -> None:
        """Write *text* if the last one is old enough."""
        if self._shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._write(text)

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def __enter__(self) -> Self:
        """Nothing is written yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Erase the line."""
        if self._width:
            self._write("")
            sys.stderr.write("\r")
