"""What one copy runs: a task or a function that another process can import."""

from __future__ import annotations

import functools
import importlib
import inspect
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from atleastonce.errors import ExploreError
from atleastonce.workers.lines import learners_file

Job = Callable[[], object]


@dataclass(frozen=True)
class Copy:
    """One call that a process of its own can make, again and again.

    Attributes:
        module, name: where the function is found.
        task: its name as a Celery task; "" for a plain function.
        file: the file of its source.
        args, kwargs: what it is called with.
    """

    module: str
    name: str
    task: str
    file: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Such as ``deposit(1, 10)``."""
        words = [*map(repr, self.args), *(f"{k}={v!r}" for k, v in self.kwargs.items())]
        return f"{self.name}({', '.join(words)})"

    @classmethod
    def of(cls, given: object) -> Copy:
        """Understand a signature, a partial, a tuple ``(f, *args)`` or a callable.

        Raises:
            ExploreError: it is none of these, or no other process can import it.
        """
        target, args, kwargs = _taken_apart(given)
        run = getattr(target, "run", target)
        found = cls(
            module=run.__module__,
            name=getattr(inspect.unwrap(run), "__name__", str(target)),
            task=target.name if hasattr(target, "apply_async") else "",
            file=learners_file(run),
            args=args,
            kwargs=kwargs,
        )
        _check_importable(found, target)
        return found

    def pack(self) -> bytes:
        """The copy as bytes, for its process.

        Raises:
            ExploreError: an argument can't be sent to another process.
        """
        try:
            return pickle.dumps(self)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise ExploreError(
                f"{self.text}: an argument can't be sent to another process.",
                seen=str(error),
                attempt="pass ids and numbers, as in a message",
            ) from None

    def job(self) -> Job:
        """Import it here; the result makes the call, with Celery's retries if a task.

        Raises:
            ImportError, AttributeError: it is not there.
        """
        target = _member(importlib.import_module(self.module), self)
        if not self.task:
            return functools.partial(target, *self.args, **self.kwargs)

        def applied() -> object:
            result = target.apply(self.args, self.kwargs, throw=False)
            return result.get(disable_sync_subtasks=False)

        return applied


def _taken_apart(given: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:  # noqa: ANN401 - whatever was passed
    if isinstance(given, functools.partial):
        return given.func, given.args, given.keywords
    if isinstance(given, tuple) and given and callable(given[0]):
        return given[0], given[1:], {}
    if isinstance(given, dict) and {"task", "args", "kwargs"} <= given.keys():
        if given.get("subtask_type"):
            raise ExploreError(f"{given!r} is several tasks; a copy is one.")
        # Celery's Signature is a dict; its ``type`` is the task.
        return given.type, tuple(given["args"]), dict(given["kwargs"])  # type: ignore[attr-defined]
    if callable(given):
        return given, (), {}
    raise ExploreError(
        f"{given!r} can't be run as a copy.",
        attempt="interleave(deposit.s(1, 10), deposit.s(1, 5), world=...)",
    )


def _check_importable(copy: Copy, target: object) -> None:
    try:
        found = _member(importlib.import_module(copy.module), copy)
    except (ImportError, AttributeError):
        found = None
    if copy.module == "__main__" or found is None:
        raise ExploreError(
            f"{target!r} can't be imported by another process.",
            attempt="define it in a %%tasks cell, or in a module",
        )


def _member(module: Any, copy: Copy) -> Any:  # noqa: ANN401 - a module's member
    if not copy.task:
        return getattr(module, copy.name)
    # A task may be bound to another name than its function's.
    for value in vars(module).values():
        if getattr(value, "name", None) == copy.task and hasattr(value, "apply_async"):
            return value
    raise AttributeError(copy.task)
