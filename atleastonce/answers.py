"""Was an exercise attempted? A cell's source against its stub, by syntax tree.

The kernel and the grader ask the same question of different material: the kernel of the
cells it ran, the grader of the cells in a file. Pure.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAGIC = re.compile(r"%%tasks[ \t]+(\w+)")
_NAME = re.compile(
    r"^(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE
)


def titles(source: str) -> frozenset[str]:
    """The names a cell goes by: of its ``%%tasks`` module, else what it defines.

    Read by pattern, so that a cell with a syntax error has them too.
    """
    if name := module(source):
        return frozenset({f"%%tasks {name}"})
    return frozenset(a or b for a, b in _NAME.findall(source))


def module(source: str) -> str:
    """The module that a ``%%tasks`` cell becomes; nothing of another cell."""
    magic = _MAGIC.match(source.lstrip())
    return magic[1] if magic else ""


def same(one: str, other: str) -> bool:
    """Two sources have one syntax tree: comments, blanks and quotes do not count."""
    trees = _tree(one), _tree(other)
    # What can't be parsed is compared as text.
    return trees[0] == trees[1] if None not in trees else one == other


def attempted(stubs: Iterable[str], sources: Iterable[str]) -> bool:
    """True when the last cell for one of *stubs* says something else than the stub.

    Args:
        stubs: sources of an exercise's answer cells, as the pristine lab has them.
        sources: sources of cells, in the order in which they run.
    """
    told = [source for source in sources if not empty(source)]
    return any(_answered(stub, told) for stub in stubs)


def empty(source: str) -> bool:
    """Nothing but comments and blanks, below a magic line or not."""
    return _tree(source) == _tree("")


def checks_of(source: str) -> list[tuple[str, str]]:
    """Id and claim of each ``check("id", "claim", ...)`` call in a cell."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "check"]
    texts = [
        [a.value for a in c.args[:2] if isinstance(a, ast.Constant)] for c in named
    ]
    return [(str(pair[0]), str(pair[1])) for pair in texts if len(pair) == 2]  # noqa: PLR2004 - id and claim


def _answered(stub: str, told: list[str]) -> bool:
    mine = [source for source in told if titles(source) & titles(stub)]
    return bool(mine) and not same(mine[-1], stub)


def _tree(source: str) -> str | None:
    text = source.strip()
    body = text.partition("\n")[2] if text.startswith("%%") else text
    try:
        return ast.dump(ast.parse(body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
