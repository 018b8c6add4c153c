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
    """The texts of an exercise's ``<details>``, in order; of *check*, its own alone.

    A hint of one check stands in ``<details data-check="ex1-two-orders">``.
    """
    cells = [c for c in pristine["cells"] if c["cell_type"] == "markdown"]
    mine = [c["source"] for c in cells if nb.exercise_of(nb.cell_id(c)) == exercise]
    found = _DETAILS.findall("\n".join(mine))
    return [text.strip() for whose, text in found if whose == check]


def add(report: Report, pristine: Notebook) -> None:
    """Give each failed check its own hint, and the next of its exercise's steps.

    The own one is told each time, since the check may fail for a new reason; the steps
    come one by one, from the first failure on where there is no own one.
    """
    failures, told = progress.failures(report.lab), set[str]()
    for row in report.rows:
        if row.verdict != "fail" or row.slip:
            continue
        own = hints_of(pristine, row.exercise, row.check)
        step = failures.get(row.check, 0) - bool(own)
        steps = hints_of(pristine, row.exercise)
        texts = own + (steps[: step + 1] or steps)[-1:] * (step >= 0)
        row.hint = "\n".join(text for text in texts if text not in told)
        told |= set(texts)
