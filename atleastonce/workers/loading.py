"""Import what a project names, and say what is wrong in the project's own terms."""

from __future__ import annotations

import importlib
import re
import traceback
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atleastonce.errors import AtLeastOnceError, ProjectError

if TYPE_CHECKING:
    from types import ModuleType

_OURS = str(Path(__file__).parents[1])
#: A missing key that looks like a variable of the environment.
_VARIABLE = re.compile(r"^KeyError: '([A-Z][A-Z0-9_]+)'$")


def module(name: str) -> ModuleType:
    """Import the module *name*.

    Raises:
        ProjectError: there is none, or it raises.
    """
    try:
        return importlib.import_module(name)
    except AtLeastOnceError:
        raise
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise ProjectError(
                f"There is no module {name!r} here.",
                seen=f"{error}, in {Path.cwd()}",
                attempt="cd to the folder that your project is imported from",
            ) from None
        raise unusable(name, error) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the project raises
        raise unusable(name, error) from None


def member(name: str) -> Any:  # noqa: ANN401 - whatever it is
    """What ``module:name`` names.

    Raises:
        ProjectError: it is no such name, or nothing is there.
    """
    where, _, path = name.partition(":")
    if not where or not path:
        raise ProjectError(
            f"{name!r} names no member of a module.", attempt="myproj.checks:world"
        )
    found: Any = module(where)
    for step in path.split("."):
        if not hasattr(found, step):
            raise _nothing(where, step, found)
        found = getattr(found, step)
    return found


def _nothing(where: str, step: str, found: Any) -> ProjectError:  # noqa: ANN401 - a module or a class
    names = [n for n, v in vars(found).items() if _is_own(where, n, v)]
    close = get_close_matches(step, names, 1) or names[:1]
    return ProjectError(
        f"The module {where!r} has no {step!r}.",
        seen=f"it has {', '.join(names) or 'no functions'}",
        attempt=f"{where}:{close[0]}" if close else "look into the module",
    )


def _is_own(where: str, name: str, value: object) -> bool:
    """True for a function or a task that is defined in the module *where*."""
    mine = getattr(value, "__module__", "") == where or hasattr(value, "apply_async")
    return mine and callable(value) and not name.startswith("_")


def unusable(name: str, error: BaseException) -> ProjectError:
    """The error that says what the project's code in *name* raised, and where."""
    last = traceback.format_exception_only(error)[-1].strip().splitlines()[0]
    lacks = _VARIABLE.match(last)
    attempt = f"import {name} in a plain Python"
    if lacks:
        attempt = f"--env {lacks[1]}='{{redis}}', or another service"
    return ProjectError(f"{name} raised {last}", seen=where(error), attempt=attempt)


def where(error: BaseException) -> str:
    """The frames of a traceback that are neither ours nor the import system's."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [f for f in frames if not f.filename.startswith((_OURS, "<frozen"))]
    lines = [f"{f.filename}, line {f.lineno}, in {f.name}: {f.line}" for f in theirs]
    return "\n".join(lines[-5:])
