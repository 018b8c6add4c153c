"""The ``%%tasks`` magic, as IPython calls it."""

from __future__ import annotations

import sys
from typing import Any

from atleastonce.errors import TasksError


def register() -> None:
    """Register ``%%tasks`` when this is an IPython kernel; else do nothing."""
    if (ipython := sys.modules.get("IPython")) and (shell := ipython.get_ipython()):
        shell.register_magic_function(tasks, "cell", "tasks")


def tasks(line: str, cell: str) -> None:
    """``%%tasks name``: make this cell the module *name* of kernel and workers."""
    # IPython's traceback leaves this frame out: the learner sees the cell only.
    __tracebackhide__ = True
    # A project's own pytest loads this module, which has to stay cheap.
    from atleastonce import reserved  # noqa: PLC0415 - see above
    from atleastonce.lab import Lab  # noqa: PLC0415 - see above

    lab = Lab.current()
    if lab is None:
        raise TasksError(
            "%%tasks needs an open lab, and none is open.",
            attempt='lab = Lab("01_duplicates")',
        )
    names: dict[str, Any] = lab.load_tasks(line.strip(), cell)
    kept = reserved.of_answer(lab.stem, line.strip())
    mine = {name: found for name, found in names.items() if name not in kept}
    sys.modules["IPython"].get_ipython().user_ns.update(mine)
