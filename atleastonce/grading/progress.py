"""What the gradings of the learner's own labs came to so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce import marks as kept
from atleastonce.grading import notebook as nb

if TYPE_CHECKING:
    from atleastonce.grading.notebook import Notebook
    from atleastonce.grading.report import Report


def failures(stem: str) -> dict[str, int]:
    """How often each check of a lab failed in a row, in gradings so far."""
    found: dict[str, int] = kept.load()["labs"].get(stem, {}).get("failures", {})
    return found


def passed(stem: str, solution: Notebook) -> set[int]:
    """The exercises of a lab of which each check passed when it was graded last."""
    marks = kept.load()["labs"].get(stem, {}).get("checks", {})
    names = [nb.cell_id(cell) for cell in solution["cells"] if nb.is_check(cell)]
    missed = [n for n in names if marks.get(n, {}).get("verdict") != "pass"]
    return {nb.exercise_of(n) for n in names} - {nb.exercise_of(n) for n in missed}


def graded(report: Report) -> None:
    """Keep what a grading of the learner's own lab came to.

    Raises:
        GradingError: the mark can't be written.
    """
    marks = kept.load()
    lab = marks["labs"].setdefault(report.lab, {})
    verdicts, failed = lab.setdefault("checks", {}), lab.setdefault("failures", {})
    for row in report.rows:
        verdicts[row.check] = {"verdict": row.verdict, "points": row.points}
        seen = failed.get(row.check, 0)
        failed[row.check] = seen + (not row.slip) if row.verdict == "fail" else 0
    kept.save(marks)
