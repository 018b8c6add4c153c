"""Grade one lab: the learner's answers, on our lab, run by nbval."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from atleastonce import answers, course
from atleastonce.errors import AtLeastOnceError, GradingError
from atleastonce.grading import generate, hints
from atleastonce.grading import notebook as nb
from atleastonce.grading.judge import Judge, blank
from atleastonce.grading.overlay import Overlay, only, overlay
from atleastonce.grading.report import Report, Row
from atleastonce.grading.run import Limits, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from atleastonce.grading.notebook import Notebook


def lab_of(path: Path, learner: Notebook) -> str:
    """The stem of the lab that a notebook is: it says so itself, else its file's name.

    Raises:
        GradingError: it is none of the course's labs.
    """
    stems = [found.stem for found in course.notebooks("solutions")]
    claimed = str(nb.course_metadata(learner).get("lab", ""))
    if path.resolve() in course.notebooks("notebooks"):
        raise GradingError(
            f"{path} is the lesson, which has no points; its lab has.",
            attempt=f"atleastonce grade {path.stem[:2]}",
        )
    for stem in stems:
        if claimed == stem or (not claimed and path.stem.startswith(stem)):
            return stem
    raise GradingError(
        f"{path} is none of the course's labs.",
        seen=f"it says {claimed!r}; there are: {', '.join(stems) or 'none'}",
        attempt="atleastonce grade labs/01_duplicates.ipynb",
    )


def grade(
    path: Path,
    *,
    exercise: int = 0,
    limits: Limits | None = None,
    on_cell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Grade the notebook in *path*, which is only read.

    Args:
        path: a lab with a learner's answers.
        exercise: grade only this one; 0 for all.
        limits: what a run may use.
        on_cell: called with the id of each cell that starts.

    Returns:
        The report; what could not be graded has its ``error`` set.
    """
    started = time.monotonic()
    report = Report(path.stem)
    try:
        learner = nb.read(path)
        report.lab = lab_of(path, learner)
        grading = Grading(generate.pristine(report.lab), learner, limits or Limits())
        grading.fill(report, path, exercise, on_cell)
    except AtLeastOnceError as error:
        report.error = str(error)
    report.seconds = round(time.monotonic() - started, 2)
    return report


class Grading:
    """One learner's notebook on one pristine lab."""

    def __init__(self, pristine: Notebook, learner: Notebook, limits: Limits) -> None:
        self._pristine, self._limits = pristine, limits
        self._laid: Overlay = overlay(pristine, learner)

    def fill(
        self, report: Report, path: Path, exercise: int, on_cell: Callable[[str], None]
    ) -> None:
        """Run what was attempted, and fill *report* in.

        Raises:
            GradingError: the lab's own set-up failed.
        """
        rows = blank(self._pristine)
        report.rows = [r for r in rows if exercise in {0, r.exercise}]
        if not report.rows:
            raise GradingError(
                f"{report.lab} has no exercise {exercise}.",
                seen=f"it has {', '.join(sorted({str(r.exercise) for r in rows}))}",
                attempt=f"atleastonce grade {report.lab[:2]}",
            )
        report.notes = self._laid.notes
        todo = self._attempted(report.rows)
        # One that hangs or kills must not take the others along: they run again.
        while todo:
            judge = self._run(report, todo, path, on_cell)
            guilty = nb.exercise_of(judge.culprit)
            waiting = {r.exercise for r in report.rows if r.verdict == "not reached"}
            todo = (todo & waiting) - {guilty} if guilty else set()
        hints.add(report, self._pristine)

    def _attempted(self, rows: list[Row]) -> set[int]:
        found = set()
        for row in rows:
            if self._is_attempted(row.exercise):
                found.add(row.exercise)
            else:
                row.verdict = "not attempted"
                row.why = f"The answer of exercise {row.exercise} is still the stub."
        return found

    def _is_attempted(self, exercise: int) -> bool:
        ours = [c for c in self._pristine["cells"] if nb.is_answer(c)]
        mine = [c for c in ours if nb.exercise_of(nb.cell_id(c)) == exercise]
        given = [(c["source"], self._laid.answers[nb.cell_id(c)]) for c in mine]
        filled = [(old, new) for old, new in given if not answers.empty(new)]
        return any(not answers.same(*pair) for pair in filled) or answers.attempted(
            [old for old, _ in given], self._laid.sources
        )

    def _run(
        self,
        report: Report,
        todo: set[int],
        path: Path,
        on_cell: Callable[[str], None],
    ) -> Judge:
        notebook = only(self._laid.notebook, todo)
        beside = path.resolve().parent
        ran = run(
            notebook, report.lab, limits=self._limits, beside=beside, on_cell=on_cell
        )
        judge = Judge(notebook, ran, self._limits)
        if ran.stopped == "interrupted":
            raise GradingError(
                "Grading was interrupted.", attempt=f"atleastonce grade {path}"
            )
        name, text = judge.setup_error
        if name:
            raise GradingError(
                f"The lab's own set-up failed: {name}.",
                seen=text,
                attempt="atleastonce grade --timeout 120, or when less is running",
            )
        mine = [row for row in report.rows if row.exercise in todo]
        for row in mine:
            judge.decide(row)
        judge.close(mine)
        return judge
