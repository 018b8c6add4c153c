"""Events of comprehensions fold into their statement.

Python 3.11 runs a comprehension in a frame of its own, 3.12 and later inline it (PEP
709), so the same source has other line events. A statement with a comprehension in it
is one point here, however often its elements are computed; passes of a loop are not.
"""

from __future__ import annotations

import ast
import functools
import linecache
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FrameType

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FRAMES = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def folded_frame(code: CodeType) -> bool:
    """True for the frame of a comprehension or a generator expression."""
    return code.co_name in _FRAMES


@dataclass(frozen=True)
class _Span:
    """The part of a statement that has a comprehension in it: its first and last line.

    Attributes:
        comprehensions: first and last place, as (line, column), of each.
    """

    first: int
    last: int
    comprehensions: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    def computes(self, frame: FrameType) -> bool:
        """True if the instruction that *frame* has come to is a comprehension's."""
        places = list(frame.f_code.co_positions())
        line, end_line, column, end_column = places[frame.f_lasti // 2]
        if line is None or end_line is None or column is None or end_column is None:
            return False
        start, end = (line, column), (end_line, end_column)
        return any(a <= start and end <= b for a, b in self.comprehensions)


class Folds:
    """Says which line events of one call are points."""

    def __init__(self, code: CodeType) -> None:
        self._spans = _spans(code.co_filename)
        self._inside: _Span | None = None
        self._entry = self._previous = -1

    def line(self, frame: FrameType) -> int:
        """The line that this event is a point of; 0 if it folds into the last one."""
        line, at = frame.f_lineno, frame.f_lasti
        span = next((s for s in self._spans if s.first <= line <= s.last), None)
        onward, self._previous = at > self._previous, at
        if span and span == self._inside and at != self._entry:
            # A step back that is no comprehension's is the next pass of a loop.
            if onward or span.computes(frame):
                return 0
            return line
        self._inside, self._entry = span, at
        return span.first if span else line


@functools.lru_cache(maxsize=64)
def _spans(file: str) -> tuple[_Span, ...]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    spans = [_span(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return tuple(span for span in spans if span)


def _span(statement: ast.stmt) -> _Span | None:
    parts = [p for p in ast.iter_child_nodes(statement) if isinstance(p, ast.expr)]
    found = [
        (part, node)
        for part in parts
        for node in ast.walk(part)
        if isinstance(node, _COMPREHENSIONS)
    ]
    if not found:
        return None
    places = tuple(
        (
            (node.lineno, node.col_offset),
            (node.end_lineno or 0, node.end_col_offset or 0),
        )
        for _, node in found
    )
    last = max(part.end_lineno or part.lineno for part, _ in found)
    return _Span(statement.lineno, last, places)
