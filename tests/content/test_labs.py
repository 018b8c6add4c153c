"""The four laws of labs, held for every lab there is.

1. The solution passes. 2. The untouched lab gets nothing, and is told "not attempted".
3. Each wrong answer is rejected by the check it names, each right one passes.
4. Editing or deleting checks changes nothing.

``make test`` grades one wrong answer to each exercise and a right one to each lab;
that a solution passes it sees where ``verify`` runs it. ``make slow`` grades all.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

from atleastonce import course
from atleastonce.grading import generate, notebook
from atleastonce.grading.grade import Grading, grade
from atleastonce.grading.report import Report, Row
from atleastonce.grading.run import Limits
from atleastonce.verdicts import MIME

if TYPE_CHECKING:
    from collections.abc import Iterable

STEMS = [path.stem for path in course.notebooks("solutions")]
ANSWERS = Path(__file__).resolve().parents[1] / "answers"
REJECTED = re.compile(r"# rejected by: (\S+)\n")
#: A slip of the answer's author: it would be rejected by any check.
SLIP = re.compile(r"(?:Type|Name|Attribute|Import|ModuleNotFound|Key|Syntax)Error")
#: The line after that, where such an error is what the wrong answer leads to.
MEETS = re.compile(r"^# meets: (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """One file of ``tests/answers``: an answer that is right or wrong on purpose."""

    path: Path

    @property
    def stem(self) -> str:
        return self.path.parent.name

    @property
    def exercise(self) -> int:
        return notebook.exercise_of(self.path.stem.replace("_", "-"))

    @property
    def rejected_by(self) -> str:
        found = REJECTED.match(self.path.read_text())
        return found[1] if found else ""

    @property
    def meets(self) -> set[str]:
        """The errors that it leads to by its design, and not by a slip."""
        return set(MEETS.findall(self.path.read_text()))

    @property
    def body(self) -> str:
        return REJECTED.sub("", self.path.read_text(), count=1)

    def lab(self) -> notebook.Notebook:
        """The untouched lab with this answer in its cell."""
        lab = generate.pristine(self.stem)
        self.fill(lab)
        return lab

    def fill(self, lab: notebook.Notebook) -> None:
        """Put this answer into its cell of *lab*."""
        cells = [c for c in lab["cells"] if notebook.is_answer(c)]
        of_mine = [
            c
            for c in cells
            if notebook.exercise_of(notebook.cell_id(c)) == self.exercise
        ]
        first = of_mine[0]["source"].partition("\n")[0]
        magic = f"{first}\n" if first.startswith("%%") else ""
        of_mine[0]["source"] = magic + self.body

    def rows(self, report: Report) -> list[Row]:
        """What *report* says of this answer's exercise."""
        return [row for row in report.rows if row.exercise == self.exercise]


def first_of_each(answers: list[Answer]) -> list[Answer]:
    """A wrong answer for each exercise, and a right one for each lab.

    The wrong one is one that passes most of the checks before the one that rejects it.
    """
    far = sorted(answers, key=lambda answer: -_place(answer))
    kinds = {(a.stem, a.rejected_by and a.exercise): a for a in reversed(far)}
    return [a for a in answers if a in kinds.values()]


def _place(answer: Answer) -> int:
    """Where the check that rejects it stands in the lab; 0 for a right answer."""
    return _cells(answer.stem).index(answer.rejected_by) if answer.rejected_by else 0


@cache
def _cells(stem: str) -> list[str]:
    return [notebook.cell_id(cell) for cell in generate.pristine(stem)["cells"]]


EVERY = [Answer(path) for path in sorted(ANSWERS.glob("*/ex*.py"))]
FIRST = first_of_each(EVERY)
WRONG = [answer for answer in EVERY if "_wrong_" in answer.path.stem]
RIGHT = [answer for answer in EVERY if "_right_" in answer.path.stem]
#: Rejected by the last check of its exercise: a row has all of them.
OF_LAW_4 = [a for a in FIRST if a in WRONG and a.exercise == 1]


def name(answer: Answer) -> str:
    return f"{answer.stem}/{answer.path.stem}"


def submissions(answers: list[Answer]) -> list[list[Answer]]:
    """Labs to fill: one answer to each exercise in each, as a learner hands them in.

    To start a lab costs as much as to judge an exercise.
    """
    ordered = sorted(answers, key=lambda a: (a.stem, a.exercise, a.path))
    of_exercise = [
        list(found) for _, found in groupby(ordered, lambda a: (a.stem, a.exercise))
    ]
    of_lab = [list(found) for _, found in groupby(of_exercise, lambda a: a[0].stem)]
    rows = chain.from_iterable(zip_longest(*columns) for columns in of_lab)
    return [[answer for answer in row if answer] for row in rows]


#: Answers that are graded together: rows of ``make test``, then those of ``make slow``.
TOGETHER = submissions(FIRST) + submissions([a for a in EVERY if a not in FIRST])
ROWS = {answer: n for n, row in enumerate(TOGETHER) for answer in row}


def beside(answers: list[Answer]) -> list[Any]:
    """The parameters of a test; ``pytest -n 2`` gives a row to one process."""
    slow = {a: [] if a in FIRST else [pytest.mark.slow] for a in answers}
    group = {a: pytest.mark.xdist_group(f"row {ROWS[a]}") for a in answers}
    return [pytest.param(a, id=name(a), marks=[*slow[a], group[a]]) for a in answers]


def shortened(lab: notebook.Notebook, row: Iterable[Answer]) -> notebook.Notebook:
    """*lab* without what comes after the check that rejects each of *row*.

    Nobody looks at those checks.
    """
    last = {answer.exercise: answer.rejected_by for answer in row}
    kept, over = [], set[int]()
    for cell in lab["cells"]:
        name = notebook.cell_id(cell)
        exercise = notebook.exercise_of(name)
        if not (notebook.is_check(cell) and exercise in over):
            kept.append(cell)
        if name == last.get(exercise):
            over.add(exercise)
    return {**lab, "cells": kept}


class Gradings:
    """Grades the answers of the tests that were selected, each row of them once."""

    def __init__(self, answers: list[Answer], folder: Path) -> None:
        self._folder = folder
        rows = [tuple(a for a in row if a in answers) for row in TOGETHER]
        self._rows = {answer: row for row in rows for answer in row}
        self._found: dict[tuple[Answer, ...], Report] = {}

    def of(self, answer: Answer) -> Report:
        row = self._rows[answer]
        if row not in self._found:
            self._found[row] = self._grade(row)
        return self._found[row]

    def _grade(self, row: tuple[Answer, ...]) -> Report:
        stem = row[0].stem
        lab = generate.pristine(stem)
        for answer in row:
            answer.fill(lab)
        path = self._folder / str(ROWS[row[0]]) / f"{stem}.ipynb"
        # A grading that stumbled is tried anew by the next test of its row.
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook.dumps(lab))
        grading = Grading(shortened(generate.pristine(stem), row), lab, Limits())
        report, only = Report(stem), row[0].exercise if len(row) == 1 else 0
        grading.fill(report, path, only, lambda _: None)
        return report


@pytest.fixture(scope="session")
def gradings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Gradings:
    specs = [getattr(item, "callspec", None) for item in request.session.items]
    params = [spec.params.get("answer") for spec in specs if spec]
    wanted = [answer for answer in params if isinstance(answer, Answer)]
    return Gradings(wanted, tmp_path_factory.mktemp("answers"))


def told(report: Report, exercise: int = 0) -> str:
    """The report as an assertion shows it, or what it says of one exercise."""
    shown = report.as_dict()
    rows: Any = shown["rows"]
    shown["rows"] = [row for row in rows if exercise in {0, row["exercise"]}]
    return json.dumps(shown, indent=1)


@pytest.mark.parametrize("stem", STEMS)
def test_the_committed_lab_is_what_its_solution_generates(stem: str) -> None:
    committed = course.find(stem, "labs").read_bytes()
    assert committed == notebook.dumps(generate.pristine(stem)).encode(), (
        "run: atleastonce labs"
    )


@pytest.mark.parametrize("stem", STEMS)
def test_generating_twice_gives_equal_bytes(stem: str) -> None:
    first, second = (notebook.dumps(generate.pristine(stem)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("stem", STEMS)
def test_law_1_each_check_of_the_solution_shows_that_it_passed(stem: str) -> None:
    """Shows, as it is stored: ``verify`` compares that with what a run shows."""
    cells = notebook.read(course.find(stem, "solutions"))["cells"]
    for cell in filter(notebook.is_check, cells):
        data = [out["data"] for out in cell["outputs"] if "data" in out]
        found = [d[MIME]["value"] for d in data if MIME in d]
        assert set(found) == {"pass"}, notebook.cell_id(cell)


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.parametrize("stem", STEMS)
def test_law_1_the_solution_passes(stem: str) -> None:
    report = grade(course.find(stem, "solutions"))
    assert report.exit_code == 0, told(report)
    assert report.points == report.most > 0


@pytest.mark.parametrize("stem", STEMS)
def test_law_2_the_untouched_lab_gets_nothing(stem: str, tmp_path: Path) -> None:
    path = tmp_path / f"{stem}.ipynb"
    path.write_text(notebook.dumps(generate.pristine(stem)))
    report = grade(path)
    assert report.points == 0
    assert {row.verdict for row in report.rows} == {"not attempted"}


@pytest.mark.live
@pytest.mark.parametrize("stem", STEMS)
def test_law_2_run_all_tells_the_learner_the_same(stem: str, tmp_path: Path) -> None:
    lab = generate.pristine(stem)
    ran = _run_all(lab, tmp_path)
    for cell in filter(notebook.is_check, ran["cells"]):
        data = [out["data"] for out in cell["outputs"] if "data" in out]
        found = [d[MIME]["value"] for d in data if MIME in d]
        assert found == ["not attempted"], notebook.cell_id(cell)


def _run_all(lab: notebook.Notebook, folder: Path) -> Any:  # noqa: ANN401 - a notebook
    """What JupyterLab's Run All does: it stops at an error that is not expected."""
    node = nbformat.from_dict(json.loads(json.dumps(lab)))
    where = {"metadata": {"path": folder}}
    NotebookClient(node, timeout=60, resources=where).execute()
    return node


@pytest.mark.live
@pytest.mark.parametrize("answer", beside(WRONG))
def test_law_3_a_wrong_answer_is_rejected_by_the_check_it_names(
    answer: Answer, gradings: Gradings
) -> None:
    report = gradings.of(answer)
    failed = [row.check for row in answer.rows(report) if row.verdict == "fail"]
    assert answer.rejected_by in failed, told(report, answer.exercise)
    slips = set(SLIP.findall(told(report, answer.exercise)))
    assert slips <= answer.meets, "wrong, but not in the way that was meant"


@pytest.mark.live
@pytest.mark.parametrize("answer", beside(RIGHT))
def test_law_3_a_right_answer_passes(answer: Answer, gradings: Gradings) -> None:
    report = gradings.of(answer)
    verdicts = {row.verdict for row in answer.rows(report)}
    assert verdicts == {"pass"}, told(report, answer.exercise)


@pytest.mark.parametrize("stem", STEMS)
def test_law_3_there_are_answers_enough_to_believe_the_checks(stem: str) -> None:
    rows = [c for c in generate.pristine(stem)["cells"] if notebook.is_check(c)]
    checks = {notebook.cell_id(cell) for cell in rows}
    answers = [answer for answer in EVERY if answer.stem == stem]
    wrong = [answer for answer in answers if "_wrong_" in answer.path.stem]
    right = [answer for answer in answers if "_right_" in answer.path.stem]
    assert {answer.rejected_by for answer in wrong} == checks
    for exercise in {notebook.exercise_of(check) for check in checks}:
        assert sum(a.exercise == exercise for a in wrong) >= 3
        assert sum(a.exercise == exercise for a in right) >= 2


@pytest.mark.live
@pytest.mark.parametrize("answer", beside(OF_LAW_4))
def test_law_4_editing_and_deleting_checks_changes_nothing(
    answer: Answer, gradings: Gradings, tmp_path: Path
) -> None:
    lab = answer.lab()
    checks = [cell for cell in lab["cells"] if notebook.is_check(cell)]
    for cell in checks[1:]:
        cell["source"] = "True"
        cell["metadata"]["nbgrader"]["points"] = 1000
    lab["cells"].remove(checks[0])
    path = tmp_path / f"{answer.stem}.ipynb"
    path.write_text(notebook.dumps(lab))
    edited, as_it_was = (
        {row.check: (row.verdict, row.most) for row in answer.rows(report)}
        for report in (grade(path, exercise=answer.exercise), gradings.of(answer))
    )
    assert edited == as_it_was
