"""Point a failed check at a line of the learner's own cell, and put errors first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atleastonce.grading import notebook as nb

if TYPE_CHECKING:
    from atleastonce.grading.notebook import Cell
    from atleastonce.grading.report import Row

#: An error as the plugin tells it: name, text, traceback.
Error = dict[str, Any]

_ARROW = re.compile(r"-+> ?(\d+) (.*)")
_SYNTAX = re.compile(r".*(?:line |\.py:)(\d+)\n(.*)")
#: IPython ends a syntax error in the name of a file that the learner never saw.
_PLACE = re.compile(r" \(\S+\.py, line \d+\)$")


def blame(
    row: Row, cells: list[Cell], own: dict[str, Error], theirs: Error | None
) -> None:
    """Fill in why and where *row* failed, as far as a traceback tells.

    Args:
        row: a check that failed.
        cells: the learner's cells of its exercise.
        own: errors of those cells, by id; they come before what the check says.
        theirs: the error of the check cell.
    """
    broken = [cell for cell in cells if nb.cell_id(cell) in own]
    if broken:
        error = own[nb.cell_id(broken[0])]
        row.why = f"Your cell raised {error['name']}: {_PLACE.sub('', error['text'])}"
        _aim(row, broken[0], line_in(broken[0]["source"], error["traceback"]))
        return
    for cell in cells:
        if not row.line and theirs:
            _aim(row, cell, line_in(cell["source"], theirs["traceback"]))
    told = [item["line"] for item in row.evidence if item["line"]]
    if not row.line and told and cells:
        _aim(row, cells[0], told[0])


def line_in(source: str, traceback: list[str]) -> int:
    """The last line of *source* that *traceback* points at, from 1; 0 for none.

    Under nbval every cell is ``In[1]``, so the line's text says whose line it is.
    """
    lines = [line.strip() for line in source.splitlines()]
    text = "\n".join(traceback)
    found = [*_ARROW.findall(text), *_SYNTAX.findall(text)]
    shown = [(int(number), line.strip()) for number, line in found]
    mine = [n for n, line in shown if 0 < n <= len(lines) and lines[n - 1] == line]
    return mine[-1] if mine else 0


def _aim(row: Row, cell: Cell, line: int) -> None:
    lines = cell["source"].splitlines()
    if 0 < line <= len(lines):
        row.cell, row.line = nb.cell_id(cell), line
        row.source = lines[line - 1].strip()
