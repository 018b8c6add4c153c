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
#: How ``jupyter_client`` begins to say so (``client.py:wait_for_ready``). A kernel that
#: lives and is silent is not tried again: that takes 60 s each time.
DIED = "Kernel died"


def pytest_configure() -> None:
    """Wrap nbval's own start, once."""
    if not hasattr(kernel.start_new_kernel, "__wrapped__"):
        kernel.start_new_kernel = again(kernel.start_new_kernel)


def again(start: Any) -> Any:  # noqa: ANN401 - nbval has no types
    """*start*, which is called up to three times while the kernel dies of it."""

    @functools.wraps(start)
    def patient(*args: object, **kwargs: object) -> Any:  # noqa: ANN401 - likewise
        for _ in range(TRIES - 1):
            try:
                return start(*args, **kwargs)
            except RuntimeError as error:
                if not str(error).startswith(DIED):
                    raise
        return start(*args, **kwargs)

    return patient
