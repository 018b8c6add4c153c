"""The half-day path: 240 minutes, files and headings that exist, one timetable."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from atleastonce import course, marks
from atleastonce.grading import halfday
from atleastonce.grading import notebook as nb
from atleastonce.grading.commands import register
from atleastonce.grading.halfday import STEPS, clock

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (course.folder() / "docs" / "workshop.md").read_text()
LAB = next(step for step in STEPS if step.lab == "02_loss ex1")


def test_it_takes_240_minutes() -> None:
    assert sum(step.minutes for step in STEPS) == 240


def test_the_presenter_s_notes_have_the_same_timetable() -> None:
    told = re.findall(r"^### (\d:\d\d) (.*), (\d+) min$", PAGE, re.MULTILINE)
    rows = halfday.rows()
    assert told == [(clock(r["start"]), r["title"], str(r["minutes"])) for r in rows]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.title)
def test_what_it_opens_has_the_parts_that_it_names(step: halfday.Step) -> None:
    text = ""
    if step.place:
        text = (course.folder() / step.place).read_text()
        if step.place.endswith(".ipynb"):
            text = json.dumps(json.loads(text), ensure_ascii=False)
            text = text.replace('\\"', "")
    for heading in re.findall(r'"([^"]+)"', step.part):
        assert heading in text, heading


@pytest.mark.parametrize("step", [s for s in STEPS if s.lab], ids=lambda s: s.title)
def test_its_exercises_are_core_ones(step: halfday.Step) -> None:
    stem, *exercises = step.lab.split()
    book = nb.read(course.find(stem, "solutions"))
    assert {nb.kind_of(book, nb.exercise_of(ex)) for ex in exercises} == {"core"}


def state(step: halfday.Step) -> str:
    found: str = halfday.rows()[STEPS.index(step)]["state"]
    return found


def test_an_exercise_is_done_when_each_of_its_checks_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "_path", lambda: tmp_path / "progress.json")
    solution = nb.read(course.find("02_loss", "solutions"))
    names = [nb.cell_id(cell) for cell in solution["cells"] if nb.is_check(cell)]
    first, *others = [name for name in names if nb.exercise_of(name) == 1]
    assert state(LAB) == "open"
    for verdict, seen in (("fail", "open"), ("pass", "done")):
        checks = {name: {"verdict": "pass"} for name in others}
        checks[first] = {"verdict": verdict}
        marks.save({"labs": {"02_loss": {"checks": checks}}})
        assert state(LAB) == seen
    assert state(STEPS[0]) == "open"
    marks.lesson_ran("00_start_here")
    assert state(STEPS[0]) == "done"


def test_the_verb_shows_it_as_a_table_and_as_json() -> None:
    app = typer.Typer()
    register(app)
    argv = ["status", "--path", "half-day"]
    assert "3:50" in CliRunner().invoke(app, argv).output
    found = json.loads(CliRunner().invoke(app, [*argv, "--json"]).stdout)
    assert [row["minutes"] for row in found] == [step.minutes for step in STEPS]
