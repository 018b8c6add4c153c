"""Reports, folders, reset, progress and the verbs, on the mini lab."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from atleastonce import marks
from atleastonce.errors import GradingError
from atleastonce.grading import folder as folders
from atleastonce.grading import formats, generate, labs, notebook, page, progress
from atleastonce.grading.commands import register, units
from atleastonce.grading.grade import grade
from atleastonce.grading.report import Report, Row
from atleastonce.grading.reset import reset
from atleastonce.grading.run import Limits
from atleastonce.grading.terminal import details, show

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RIGHT1 = "def charge(order):\n    if order not in ledger():\n        write(order)"
WRONG1 = "def charge(order):\n    write(order)"
LIMITS = Limits(cell=5.0, seconds=60.0)


@pytest.fixture
def verbs() -> typer.Typer:
    app = typer.Typer()
    register(app)
    return app


def broken() -> dict[str, Any]:
    return {
        "what": "charges | of <2>",
        "want": "1",
        "seen": "2 ```",
        "holds": False,
        "text": "m1 charge\x00",
        "html": "<script>alert(1)</script>",
        "line": 2,
    }


def sample() -> Report:
    """A report with every verdict, and text that could break a format."""
    failed = Row("ex1-b", 1, "b | <b>", 2, "fail", "no", [broken()], "ex1-answer", 2)
    rows = [
        Row("ex1-a", 1, "a", 1, "pass"),
        failed,
        Row("ex2-a", 2, "c", 1, "not attempted", "The answer is the stub."),
        Row("ex2-b", 2, "d", 1, "not reached", "Before it, ex2-answer hung."),
        Row("ex3-a", 3, "e", 1, "no service", "needs rabbitmq"),
    ]
    return Report("99_mini", "ann", rows, ["a note"], seconds=1.5)


def test_a_failure_names_the_learners_line_the_evidence_and_the_next_hint(
    fill: Callable[..., Path],
) -> None:
    answer = "def charge(order):\n    total = 1\n    return total / 0"
    row = grade(fill(ex1=answer), exercise=1, limits=LIMITS).rows[0]
    assert row.why == "ZeroDivisionError: division by zero"
    assert (row.cell, row.line, row.source) == ("ex1-answer", 3, "return total / 0")
    assert row.hint == "Which lines are there before you write?"
    row = grade(fill(ex1=WRONG1), exercise=1, limits=LIMITS).rows[1]
    assert "charges of 2: 2; should be 1" in details(row)


def test_an_error_of_the_answer_comes_first(fill: Callable[..., Path]) -> None:
    row = grade(fill(ex1="def charge(order):\n    return ("), limits=LIMITS).rows[0]
    assert row.why.startswith("Your cell raised SyntaxError: ")
    assert ".py" not in row.why
    assert (row.line, row.source) == (2, "return (")


def test_what_took_too_long_is_said_so(fill: Callable[..., Path]) -> None:
    path = fill(ex1="def charge(order):\n    while True: pass")
    first, second = grade(path, exercise=1, limits=Limits(cell=1.0)).rows
    assert first.why.startswith("took longer than 1 s")
    assert second.why.startswith("Before it, ex1-once took longer than 1 s")


def test_one_exercise_is_graded_alone(fill: Callable[..., Path]) -> None:
    report = grade(fill(ex1=RIGHT1), exercise=1, limits=LIMITS)
    assert [row.check for row in report.rows] == ["ex1-once", "ex1-twice"]
    assert report.exit_code == 0
    assert "has no exercise 9" in grade(fill(), exercise=9, limits=LIMITS).error


def test_the_hint_moves_on_with_each_failed_grading(mini: Path) -> None:
    report = sample()
    for count in (1, 2):
        progress.graded(report)
        assert progress.failures("99_mini")["ex1-b"] == count
    report.rows[1].verdict = "pass"
    progress.graded(report)
    assert progress.failures("99_mini")["ex1-b"] == 0
    (mini / ".atleastonce" / "progress.json").write_text("[")
    assert progress.failures("99_mini") == {}


def test_a_report_survives_json() -> None:
    report = sample()
    again = Report.from_dict(json.loads(json.dumps(report.as_dict())))
    assert again == report


def test_exit_codes_tell_failed_from_not_gradable() -> None:
    report = sample()
    assert report.exit_code == 2
    report.rows.pop()
    assert report.exit_code == 1
    report.rows = report.rows[:1]
    assert report.exit_code == 0
    report.error = "damaged"
    assert report.exit_code == 2


def test_junit_has_a_case_per_check_with_its_points() -> None:
    suite = ET.fromstring(formats.junit([sample()]))[0]  # noqa: S314 - our own
    assert suite.attrib["name"] == "ann/99_mini"
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("2", "2")
    cases = suite.findall("testcase")
    assert [case.attrib["name"] for case in cases][:2] == ["ex1-a", "ex1-b"]
    values = {p.attrib["name"]: p.attrib["value"] for p in cases[1].iter("property")}
    assert values == {"points": "0", "most": "2"}


def test_the_job_summary_can_not_be_broken_by_what_a_learner_printed() -> None:
    text = formats.summary([sample()])
    assert "| ann: 99_mini | 1/6 | ✓ ✗ · · ! |" in text
    assert "````text" in text
    assert "<b>" not in text


def test_the_page_needs_nothing_and_trusts_no_evidence() -> None:
    html = page.report_page([sample()])
    assert "<script" not in html
    assert "http" not in html
    assert "1 of 6 points" in html


def test_the_terminal_shows_a_table_and_each_failure() -> None:
    console = Console(width=80, record=True, file=None, quiet=False)
    with console.capture() as captured:
        show(sample(), console)
    text = captured.get()
    assert "ann, 99_mini: 1 of 6 points" in text
    assert "charges | of <2>: 2 ```; should be 1 (line 2 of your cell)" in text


def test_a_folder_is_graded_person_by_person_and_one_broken_stops_nobody(
    fill: Callable[..., Path], tmp_path: Path
) -> None:
    handed_in = tmp_path / "handed-in"
    for who, answer in (("ann", RIGHT1), ("bob", WRONG1), ("cyd", None)):
        (handed_in / who).mkdir(parents=True)
        text = fill(ex1=answer).read_bytes() if answer else b"{"
        (handed_in / who / "99_mini.ipynb").write_bytes(text)
    reports = folders.grade_folder(handed_in, limits=LIMITS)
    assert [(r.who, r.points, r.exit_code) for r in reports] == [
        ("ann", 3.0, 1),
        ("bob", 1.0, 1),
        ("cyd", 0, 2),
    ]
    rows = list(csv.reader(folders.as_csv(reports).splitlines()))
    assert rows[5][:6] == ["bob", "99_mini", "ex1-twice", "fail", "0", "2"]
    first = folders.tallies(reports)[0]
    assert (first.check, first.passed, first.failed) == ("99_mini ex1-twice", 1, 1)
    assert first.common == "charges of 2: 2; should be 1"
    assert "most common wrong outcome" in folders.folder_page(reports)


def test_a_folder_goes_on_where_it_was_stopped(
    fill: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in" / "ann").mkdir(parents=True)
    path = tmp_path / "in" / "ann" / "99_mini.ipynb"
    path.write_bytes(fill(ex1=RIGHT1).read_bytes())
    first = folders.grade_folder(tmp_path / "in", limits=LIMITS)
    graded = []

    def again(path: Path, **_: object) -> Report:
        graded.append(path)
        return first[0]

    monkeypatch.setattr(folders, "grade", again)
    assert folders.grade_folder(tmp_path / "in", limits=LIMITS) == first
    assert graded == []
    path.write_bytes(fill(ex1=WRONG1).read_bytes())
    folders.grade_folder(tmp_path / "in", limits=LIMITS)
    assert graded == [path]


def test_a_spreadsheet_takes_no_text_for_a_formula() -> None:
    report = Report("99_mini", "=cmd()", [Row("ex1-a", 1, "a", 1)])
    assert "'=cmd()," in folders.as_csv([report])


def test_reset_gives_the_stub_back_and_keeps_the_text(
    fill: Callable[..., Path],
) -> None:
    path = fill(ex1=WRONG1, ex2=WRONG1)
    assert reset(path, "99_mini", 1) == ["ex1-answer"]
    lab = notebook.read(path)
    names = [notebook.cell_id(cell) for cell in lab["cells"]]
    kept = lab["cells"][names.index("ex1-answer") + 1]
    assert (kept["cell_type"], kept["source"]) == ("raw", WRONG1)
    assert reset(path, "99_mini", 1) == []
    assert reset(path, "99_mini") == ["ex2-answer"]
    with pytest.raises(GradingError, match="no exercise 9"):
        reset(path, "99_mini", 9)


def test_a_lab_with_answers_is_never_written_over(
    fill: Callable[..., Path],
) -> None:
    assert labs.write_labs() == {"99_mini": "same"}
    path = fill(ex1=WRONG1)
    before = path.read_bytes()
    assert labs.write_labs() == {"99_mini": "yours"}
    assert path.read_bytes() == before
    path.write_text("{")
    assert labs.write_labs() == {"99_mini": "yours"}
    path.unlink()
    assert labs.write_labs(check=True) == {"99_mini": "stale"}
    assert not path.exists()
    assert labs.write_labs() == {"99_mini": "written"}
    assert path.read_bytes() == notebook.dumps(generate.pristine("99_mini")).encode()


def _edited(mini: Path, name: str, **changes: Any) -> notebook.Notebook:  # noqa: ANN401 - any field of a cell
    solution = notebook.read(mini / "solutions" / "99_mini.ipynb")
    for cell in solution["cells"]:
        if notebook.cell_id(cell) == name:
            cell.update(changes)
    return solution


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("ex1-once", {"execution_count": None}, "run the solution and save it"),
        ("ex1-once", {"outputs": []}, "run the solution and save it"),
        ("ex1-answer", {"source": "x = 1"}, "at least one"),
        ("ex1-answer", {"source": "### BEGIN SOLUTION"}, "needs its ### END"),
        ("set-up", {"source": "### BEGIN SOLUTION\n### END SOLUTION"}, "handed out"),
        ("set-up", {"id": "other"}, "must equal grade_id"),
        ("title", {"metadata": {}, "id": "close"}, "2 cells have this id"),
    ],
)
def test_a_solution_that_breaks_the_format_is_refused(
    mini: Path, name: str, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(GradingError) as caught:
        generate.generate(_edited(mini, name, **changes), "99_mini")
    assert told in str(caught.value)


def test_output_that_changes_from_run_to_run_is_no_reference(mini: Path) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "at 0x7f12345678"}
    solution = _edited(mini, "ex1-once", outputs=[output])
    with pytest.raises(GradingError, match="breaks 1 rules"):
        generate.generate(solution, "99_mini")


@pytest.mark.parametrize("answer", [RIGHT1, WRONG1])
def test_the_verb_grade_writes_every_format(
    answer: str, fill: Callable[..., Path], tmp_path: Path, verbs: typer.Typer
) -> None:
    path = str(fill(ex1=answer))
    argv = ["grade", path, "--exercise", "1", "--out", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(verbs, argv)
    assert done.exit_code == (0 if answer == RIGHT1 else 1), done.output
    assert json.loads(done.stdout)["reports"][0]["most"] == 3
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "junit.xml",
        "report.csv",
        "report.html",
        "report.json",
        "summary.md",
    ]


def test_status_says_what_is_next(
    fill: Callable[..., Path], verbs: typer.Typer
) -> None:
    assert units()[0]["next"] == "notebooks/99_mini.ipynb, or atleastonce run 99"
    marks.lesson_ran("99_mini")
    assert units()[0]["next"] == "labs/99_mini.ipynb, then atleastonce grade 99"
    CliRunner().invoke(verbs, ["grade", str(fill(ex1=RIGHT1))])
    assert (units()[0]["points"], units()[0]["most"]) == (3, 4)


def test_the_verb_labs_says_what_is_out_of_step(
    fill: Callable[..., Path], verbs: typer.Typer
) -> None:
    assert CliRunner().invoke(verbs, ["labs", "--check"]).exit_code == 0
    fill(ex1=WRONG1)
    done = CliRunner().invoke(verbs, ["labs"])
    assert (done.exit_code, done.stdout) == (1, "99_mini: yours\n")


def test_one_exercise_graded_alone_leaves_the_points_of_the_others(
    fill: Callable[..., Path], verbs: typer.Typer
) -> None:
    right2 = "def refund(order):\n    return undo(order)"
    CliRunner().invoke(verbs, ["grade", str(fill(ex1=RIGHT1, ex2=right2))])
    got = units()[0]["points"]
    CliRunner().invoke(verbs, ["grade", str(fill(ex2=right2)), "--exercise", "2"])
    assert units()[0]["points"] == got >= 3


def test_a_slip_of_the_pen_uses_up_no_hint(fill: Callable[..., Path]) -> None:
    hints = []
    for answer in ("def charge(order):\n    return ordr", WRONG1):
        report = grade(fill(ex1=answer), exercise=1, limits=LIMITS)
        progress.graded(report)
        hints.append(report.rows[1].hint)
    assert hints == ["", "Which lines are there before you write?"]


def test_a_hint_is_told_once_in_a_report(fill: Callable[..., Path]) -> None:
    rows = grade(fill(ex1="def charge(order):\n    pass"), limits=LIMITS).rows[:2]
    assert [row.verdict for row in rows] == ["fail", "fail"]
    assert [bool(row.hint) for row in rows] == [True, False]


def test_the_lesson_is_not_taken_for_its_lab(fill: Callable[..., Path]) -> None:
    lesson = fill().parents[1] / "notebooks" / "99_mini.ipynb"
    lesson.parent.mkdir()
    lesson.write_bytes((lesson.parents[1] / "labs" / lesson.name).read_bytes())
    assert "is the lesson" in grade(lesson, limits=LIMITS).error
