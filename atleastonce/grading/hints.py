"""Hints of an exercise: question, pointer, mechanism; one more per failed grading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atleastonce.grading import notebook as nb
from atleastonce.grading import progress

if TYPE_CHECKING:
    from atleastonce.grading.notebook import Notebook
    from atleastonce.grading.report import Report

_DETAILS = re.compile(r"<details>\s*<summary>.*?</summary>(.*?)</details>", re.DOTALL)


def hints_of(pristine: Notebook, exercise: int) -> list[str]:
    """The texts of an exercise's ``<details>``, in order."""
    cells = [c for c in pristine["cells"] if c["cell_type"] == "markdown"]
    mine = [c["source"] for c in cells if nb.exercise_of(nb.cell_id(c)) == exercise]
    return [text.strip() for text in _DETAILS.findall("\n".join(mine))]


def add(report: Report, pristine: Notebook) -> None:
    """Give each failed check the hint that comes next."""
    failures = progress.failures(report.lab)
    for row in report.rows:
        hints = hints_of(pristine, row.exercise)
        if row.verdict == "fail" and hints:
            seen = failures.get(row.check, 0)
            row.hint = hints[min(seen, len(hints) - 1)]
