"""What crosses from who asks to the process that has the project, and back.

Functions and tasks cross by their names: each side imports its own.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass, field
from typing import Any

from atleastonce.errors import ProjectError
from atleastonce.explore.copies import Copy

#: Options of the instruments that are functions.
FUNCTIONS = ("world", "setup", "reset", "left", "claim")


@dataclass(frozen=True)
class Opening:
    """What a project is opened with.

    Attributes:
        app: its Celery app, as ``celery -A`` takes it.
        folder: where its processes work.
        path: where else they import from.
        env: ``NAME=TEMPLATE`` by name.
        allow: ``host:port`` of what it may connect to beside the services.
        setup: ``module:function`` that is called once; "" for none.
    """

    app: str
    folder: str
    path: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    allow: tuple[str, ...] = ()
    setup: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """Where its processes import from; in the first one they work."""
        return tuple(dict.fromkeys([self.folder, *filter(None, self.path)]))


@dataclass(frozen=True)
class Opened:
    """It is open.

    Attributes:
        exported: the variables that were set for it.
        folder: the lab's.
    """

    exported: tuple[str, ...]
    folder: str


@dataclass(frozen=True)
class Named:
    """A function or a task, as ``module:name``."""

    name: str

    @classmethod
    def of(cls, option: str, function: Any) -> Named:  # noqa: ANN401 - whatever was passed
        """The name of *function*, which was passed as *option*; a name is one already.

        Raises:
            ProjectError: another process can't import it.
        """
        if isinstance(function, str):
            return cls(function)
        name = getattr(function, "__qualname__", "<nameless>")
        module = getattr(function, "__module__", "")
        if "<" in name or module in ("", "__main__"):
            raise ProjectError(
                f"{option}= is {name}, which another process can't import.",
                attempt=f"def {option}(): at the top level of a module",
            )
        return cls(f"{module}:{name}")


@dataclass(frozen=True)
class Call:
    """A call of a task or of a function.

    Attributes:
        target: its name.
        args, kwargs: what it is called with.
        options: of a task's signature, such as ``queue``.
        task: True if the target must be a task.
    """

    target: Named
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    task: bool = False

    @classmethod
    def of(cls, given: Any) -> Call:  # noqa: ANN401 - whatever was passed
        """Understand what ``explore.copies.Copy`` does, and a name as the target.

        Raises:
            ExploreError: it is none of these, or no other process can import it.
        """
        target, *args = given if isinstance(given, tuple) and given else (given,)
        if isinstance(target, str):
            return cls(Named(target), tuple(args))
        copy = Copy.of(given)
        options = dict(given["options"]) if isinstance(given, dict) else {}
        name = Named(f"{copy.module}:{_bound(copy)}")
        return cls(name, copy.args, copy.kwargs, options)

    def made(self, target: Any) -> Any:  # noqa: ANN401 - a signature or a partial
        """The call, of *target* as it was imported."""
        if hasattr(target, "apply_async"):
            return target.signature(self.args, self.kwargs, **self.options)
        return functools.partial(target, *self.args, **self.kwargs)


def _bound(copy: Copy) -> str:
    """The name that a task is bound to in its module; it may not be its function's."""
    members = vars(sys.modules[copy.module]).items() if copy.task else ()
    found = (k for k, v in members if getattr(v, "name", None) == copy.task)
    return next(found, copy.name)


@dataclass(frozen=True)
class Request:
    """One use of an instrument.

    Attributes:
        instrument: ``crash_sweep`` or ``interleave``.
        calls: what is swept, or the copies.
        options: of the instrument; functions as Named.
    """

    instrument: str
    calls: tuple[Call, ...]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """What an instrument found.

    Attributes:
        verdict: ``pass``, ``fail`` or ``unknown``.
        text, html, data: for people, for a page, for machines.
        packed: the result itself, pickled.
        refused: places that the project was not let connect to.
    """

    verdict: str
    text: str
    html: str
    data: dict[str, Any]
    packed: bytes
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failed:
    """Nothing was found: an error, by the name of its class, and its three parts."""

    kind: str
    what: str
    seen: str = ""
    attempt: str = ""
