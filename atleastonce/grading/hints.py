"""Hints of an exercise: question, pointer, mechanism; one more per failed grading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atleastonce.grading import notebook as nb
from atleastonce.grading import progress

if TYPE_CHECKING:
    from atleastonce.grading.notebook import Notebook
    from atleastonce.grading.report import Report

_DETAILS = re.compile(
    r'<details(?: data-check="([\w-]+)")?>\s*<summary>.*?</summary>(.*?)</details>',
    re.DOTALL,
)


def hints_of(pristine: Notebook, exercise: int, check: str = "") -> list[str]:
    """The texts of an exercise's ``<details>``, in order.

    Those of ``<details data-check="ex1-two-orders">`` come first, for that check alone.
    """
    cells = [c for c in pristine["cells"] if c["cell_type"] == "markdown"]
    mine = [c["source"] for c in cells if nb.exercise_of(nb.cell_id(c)) == exercise]
    found = _DETAILS.findall("\n".join(mine))
    own = [text.strip() for whose, text in found if check and whose == check]
    return own + [text.strip() for whose, text in found if not whose]


def add(report: Report, pristine: Notebook) -> None:
    """Give each failed check the hint that comes next."""
    failures = progress.failures(report.lab)
    for row in report.rows:
        hints = hints_of(pristine, row.exercise, row.check)
        # A typo, or a machine that was busy, says nothing of the design.
        other = any(word in row.why for word in ("raised SyntaxError", "took longer"))
        if row.verdict == "fail" and hints and not other:
            seen = failures.get(row.check, 0)
            row.hint = hints[min(seen, len(hints) - 1)]
