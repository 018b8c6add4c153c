"""``%%tasks name``: a notebook cell becomes a module that workers and kernel import.

Line N of the module is line N of the cell as JupyterLab numbers it, so tracebacks,
faults and sweep tables speak of the lines the reader sees.
"""

from __future__ import annotations

import importlib.util
import linecache
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.errors import TasksError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from celery import Celery, Task

#: Stands on the magic's own line, which keeps the numbers equal.
FIRST_LINE = "from atleastonce.shop.celery import app  # %%tasks {name}\n"


@dataclass(frozen=True)
class TaskModule:
    """One ``%%tasks`` cell that was loaded: its module's name, file and source."""

    name: str
    path: Path
    source: str
    module: ModuleType

    @property
    def names(self) -> dict[str, object]:
        """The public names that the cell defined or imported, ``app`` apart."""
        return {
            k: v for k, v in vars(self.module).items() if k[0] != "_" and k != "app"
        }

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks that the cell defined."""
        found = vars(self.module).values()
        return [
            t.name
            for t in found
            if getattr(t, "__module__", "") == self.name and hasattr(t, "delay")
        ]


def load(name: str, cell: str, *, folder: Path, app: Celery) -> TaskModule:
    """Make *cell* the module *name*: all of it, or nothing at all.

    Args:
        name: the module's name; a Python identifier that nothing importable has.
        cell: the cell's text below the magic line.
        folder: where the module's file goes; on ``sys.path`` of kernel and workers.
        app: the Celery app that the tasks register with.

    Raises:
        TasksError: the name can't be used.
        BaseException: whatever the cell raises; the old module and tasks stay.
    """
    _check_name(name, folder)
    path = folder / f"{name}.py"
    source = FIRST_LINE.format(name=name) + cell
    with _traceback_source(path, source):
        code = compile(source, str(path), "exec")
        module = _module(name, path)
        with _replaced(name, module, app, folder):
            # Not the import system: its bytecode cache takes an edit of equal length
            # within the same second for no edit.
            exec(code, module.__dict__)  # noqa: S102 - the learner's own cell
            _write(path, source)
    return TaskModule(name, path, source, module)


def unload(module: TaskModule, app: Celery) -> None:
    """Forget a module and its tasks, as if the cell had never run."""
    _pop_tasks(app, {module.name})
    sys.modules.pop(module.name, None)


def _check_name(name: str, folder: Path) -> None:
    if not name.isidentifier():
        raise TasksError(
            f"%%tasks needs a module name, and {name!r} is none.",
            attempt="%%tasks billing",
        )
    if name in sys.modules:
        taken = (
            getattr(sys.modules[name], "__file__", None) or "a module without a file"
        )
    else:
        spec = importlib.util.find_spec(name)
        taken = (spec.origin or "a package") if spec else ""
    if taken and Path(taken).parent != folder:
        raise TasksError(
            f"%%tasks {name}: a module of that name is already importable.",
            seen=taken,
            attempt=f"%%tasks my_{name}",
        )


def _module(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise TasksError(f"%%tasks {name}: {path} can't be a module.")
    return importlib.util.module_from_spec(spec)


@contextmanager
def _replaced(
    name: str, module: ModuleType, app: Celery, folder: Path
) -> Iterator[None]:
    """The old module and its tasks give way; they come back if the body raises.

    A name that another cell's task has is free meanwhile: ``app.task`` returns the old
    task while its name is registered (Celery 5.7), and two cells may be two versions.
    """
    before = _pop_tasks(app, _modules_in(folder))
    old = sys.modules.pop(name, None)
    sys.modules[name] = module
    try:
        yield
    except BaseException:
        _pop_tasks(app, {name})
        app.tasks.update(before)
        del sys.modules[name]
        if old is not None:
            sys.modules[name] = old
        raise
    others = {n: task for n, task in before.items() if task.__module__ != name}
    app.tasks.update(others | dict(app.tasks))


def _modules_in(folder: Path) -> set[str]:
    """The modules that ``%%tasks`` cells have become."""
    found = {n: getattr(m, "__file__", None) for n, m in sys.modules.items()}
    return {n for n, file in found.items() if file and Path(file).parent == folder}


def _pop_tasks(app: Celery, modules: set[str]) -> dict[str, Task]:
    names = [n for n, task in app.tasks.items() if task.__module__ in modules]
    return {n: app.tasks.pop(n) for n in names}


@contextmanager
def _traceback_source(path: Path, source: str) -> Iterator[None]:
    """Tracebacks of the body show this source, also before the file exists."""
    lines = source.splitlines(keepends=True)
    linecache.cache[str(path)] = (len(source), None, lines, str(path))
    yield
    # Kept when the body raised: IPython prints the traceback after we returned.
    linecache.cache.pop(str(path), None)


def _write(path: Path, source: str) -> None:
    new = path.with_suffix(".new")
    try:
        new.write_text(source)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise TasksError(
            f"%%tasks {path.stem}: the module's file {path} can't be written.",
            seen=str(error),
            attempt=f"df -h {path.parent}",
        ) from None
