"""Progress of a search, on a terminal or in JupyterLab; nowhere else."""

from __future__ import annotations

import sys
import time
from html import escape
from typing import TYPE_CHECKING, Any, Self

from atleastonce.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

#: Seconds between two lines.
EVERY = 0.5


class Progress:
    """One line that is written over, and erased at the end."""

    def __init__(self) -> None:
        self._write: Callable[[str], None] | None = None
        if Settings.from_env().notebook:
            self._write = _InJupyterLab()
        elif sys.stderr.isatty():
            self._write = _OnTerminal()
        self._next = time.monotonic() + EVERY
        self._written = False

    def show(self, text: str) -> None:
        """Write *text* if the last one is old enough."""
        if self._write and time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self._write(text)
            self._written = True

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
        if self._write and self._written:
            self._write("")


class _OnTerminal:
    """Writes over the line of the cursor."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
        sys.stderr.flush()
        self._width = len(text)


class _InJupyterLab:
    """Writes over an output of the cell: what goes to stderr would stay, in red."""

    def __init__(self) -> None:
        self._place: Any = None

    def __call__(self, text: str) -> None:
        from IPython.display import HTML, display  # noqa: PLC0415 - slow to import

        page = HTML(f"<div>{escape(text)}</div>" if text else "")
        if self._place is None:
            self._place = display(page, display_id=True)
        else:
            self._place.update(page)
