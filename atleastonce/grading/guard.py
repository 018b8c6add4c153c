"""Inside the kernel: a fingerprint of what checks rely on, to notice patches.

The plugin takes it before each check and compares it in *its* process. Best effort, and
no security boundary: who owns the kernel can forge the fingerprint too.
"""

from __future__ import annotations

import builtins
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Clients and builtins through which checks look at the world; all of ours besides.
WATCHED = frozenset(
    {
        "builtins",
        "json",
        "http.client",
        "smtplib",
        "socket",
        "subprocess",
        "urllib.request",
        "redis.client",
        "redis.commands.core",
        "redis.connection",
        "requests.api",
        "requests.sessions",
        "psycopg",
        "psycopg.cursor",
        "psycopg.connection",
    }
)
#: IPython keeps the last result here.
_VOLATILE = frozenset({"_", "__build_class__"})


def fingerprint(names: list[str]) -> str:
    """JSON of marks: of watched callables, and of *names* in the user's namespace."""
    user = getattr(sys.modules.get("__main__"), "__dict__", {})
    marks = dict(_code())
    for name in names:
        if name in user:
            marks[name] = id(user[name])
            marks.update(_shadows(name, user[name], depth=3))
    return json.dumps(marks)


def _code() -> Iterator[tuple[str, int]]:
    for name, module in list(sys.modules.items()):
        if name in WATCHED or name.partition(".")[0] == "atleastonce":
            yield from _callables(name, getattr(module, "__dict__", {}), name)


def _callables(
    path: str, namespace: Mapping[str, Any], module: str
) -> Iterator[tuple[str, int]]:
    for key, value in list(namespace.items()):
        if key in _VOLATILE:
            continue
        if callable(value) or isinstance(value, property | classmethod):
            yield f"{path}.{key}", id(getattr(value, "__code__", value))
        if isinstance(value, type) and value.__module__ == module and path == module:
            yield from _callables(f"{path}.{key}", vars(value), module)


def _shadows(path: str, thing: object, depth: int) -> Iterator[tuple[str, int]]:
    """Methods of our handles that an attribute of the instance hides."""
    if not type(thing).__module__.startswith("atleastonce.") or not depth:
        return
    for key, value in list(getattr(thing, "__dict__", {}).items()):
        if builtins.callable(value) and hasattr(type(thing), key):
            yield f"{path}.{key}", id(value)
        yield from _shadows(f"{path}.{key}", value, depth - 1)
