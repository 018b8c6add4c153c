"""Marks of what was done: the last grade of each lab, the last run of each lesson.

They live in ``.atleastonce/progress.json`` of the clone, which git ignores.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atleastonce import course
from atleastonce.grading import notebook as nb

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.grading.report import Report


def _path() -> Path:
    return course.folder() / ".atleastonce" / "progress.json"


def load() -> dict[str, Any]:
    """All marks; damaged or missing ones are as good as none."""
    try:
        found = json.loads(_path().read_text())
    except (OSError, ValueError):
        found = {}
    marks = found if isinstance(found, dict) else {}
    return {"lessons": {}, "labs": {}} | marks


def _save(marks: dict[str, Any]) -> None:
    nb.write(_path(), json.dumps(marks, indent=1, sort_keys=True) + "\n")


def lesson_ran(stem: str) -> None:
    """Mark a lesson as run to its end.

    Raises:
        GradingError: the mark can't be written.
    """
    marks = load()
    marks["lessons"][stem] = True
    _save(marks)


def failures(stem: str) -> dict[str, int]:
    """How often each check of a lab failed in a row, in gradings so far."""
    found: dict[str, int] = load()["labs"].get(stem, {}).get("failures", {})
    return found


def graded(report: Report) -> None:
    """Keep what a grading of the learner's own lab came to.

    Raises:
        GradingError: the mark can't be written.
    """
    marks = load()
    lab = marks["labs"].setdefault(report.lab, {})
    verdicts, failed = lab.setdefault("checks", {}), lab.setdefault("failures", {})
    for row in report.rows:
        verdicts[row.check] = {"verdict": row.verdict, "points": row.points}
        count = failed.get(row.check, 0) + 1 if row.verdict == "fail" else 0
        failed[row.check] = count
    _save(marks)
