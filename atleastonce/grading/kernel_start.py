"""A pytest plugin for nbval: a kernel that dies as it starts is started again.

``jupyter_client`` looks for free TCP ports and lets go of them
(``connect.py:write_connection_file``); the kernel binds them half a second later. What
takes one in between, such as a service of another lab, ends the kernel.
"""

from __future__ import annotations

import functools
from typing import Any

from nbval import kernel

TRIES = 3


def pytest_configure() -> None:
    """Wrap nbval's own start, once."""
    if not hasattr(kernel.start_new_kernel, "__wrapped__"):
        kernel.start_new_kernel = again(kernel.start_new_kernel)


def again(start: Any) -> Any:  # noqa: ANN401 - nbval has no types
    """*start*, which is called up to three times until it raises no RuntimeError."""

    @functools.wraps(start)
    def patient(*args: object, **kwargs: object) -> Any:  # noqa: ANN401 - likewise
        for _ in range(TRIES - 1):
            try:
                return start(*args, **kwargs)
            except RuntimeError:
                continue
        return start(*args, **kwargs)

    return patient
