"""Events of comprehensions fold into their statement.

Python 3.11 runs a comprehension in a frame of its own, 3.12 and later inline it (PEP
709), so the same source has other line events. A statement with a comprehension in it
is one point here, however often its elements are computed; passes of a loop are not.
"""

from __future__ import annotations

import ast
import functools
import linecache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FrameType

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FRAMES = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def folded_frame(code: CodeType) -> bool:
    """True for the frame of a comprehension or a generator expression."""
    return code.co_name in _FRAMES


class Folds:
    """Says which line events of one call are points."""

    def __init__(self, code: CodeType) -> None:
        self._spans = _spans(code.co_filename)
        self._inside: tuple[int, int] | None = None
        self._entry = -1

    def line(self, frame: FrameType) -> int:
        """The line that this event is a point of; 0 if it folds into the last one."""
        line = frame.f_lineno
        span = next((s for s in self._spans if s[0] <= line <= s[1]), None)
        again = span is not None and span == self._inside
        if again and frame.f_lasti != self._entry:
            return 0
        self._inside, self._entry = span, frame.f_lasti
        return span[0] if span else line


@functools.lru_cache(maxsize=64)
def _spans(file: str) -> tuple[tuple[int, int], ...]:
    """First and last line of each statement's part that has a comprehension in it."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    return tuple(
        found
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and (found := _span(node))
    )


def _span(statement: ast.stmt) -> tuple[int, int] | None:
    parts = [p for p in ast.iter_child_nodes(statement) if isinstance(p, ast.expr)]
    found = [p for p in parts if any(map(_is_comprehension, ast.walk(p)))]
    if not found:
        return None
    ends = [p.end_lineno or p.lineno for p in found]
    return statement.lineno, max(ends)


def _is_comprehension(node: ast.AST) -> bool:
    return isinstance(node, _COMPREHENSIONS)
