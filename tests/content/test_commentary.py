"""Our answer and its cost: offered after a pass, refused before it, in no lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from atleastonce import course
from atleastonce.errors import GradingError
from atleastonce.grading import notebook as nb
from atleastonce.grading.commands import register

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RIGHT = "def charge(order):\n    if order not in ledger():\n        write(order)"
WRONG = "def charge(order):\n    write(order)"
SAID = "It reads the whole ledger each time."
OFFER = "atleastonce commentary 99 1"


@pytest.fixture
def call() -> Callable[..., str]:
    """A verb's output; what it raises on purpose is raised here too."""
    app = typer.Typer()
    register(app)

    def called(*argv: str) -> str:
        done = CliRunner().invoke(app, [*argv])
        if isinstance(done.exception, GradingError):
            raise done.exception
        return done.output

    return called


def test_after_a_pass_it_is_offered_and_shown(
    fill: Callable[..., Path], call: Callable[..., str]
) -> None:
    told = call("grade", str(fill(ex1=RIGHT)))
    assert OFFER in told
    assert "commentary 99 2" not in told
    shown = call("commentary", "99", "1")
    assert SAID in shown
    assert "if order not in ledger()" in shown
    assert "###" not in shown


@pytest.mark.parametrize("graded", [False, True])
def test_before_a_pass_it_is_refused_but_for_who_insists(
    fill: Callable[..., Path], call: Callable[..., str], *, graded: bool
) -> None:
    path = fill(ex1=WRONG)
    if graded:
        assert OFFER not in call("grade", str(path), "--exercise", "1")
    with pytest.raises(GradingError, match="has not passed yet") as caught:
        call("commentary", "99", "1")
    assert "Try: atleastonce grade 99 --exercise 1" in str(caught.value)
    assert SAID in call("commentary", "99", "1", "--anyway")


def test_a_later_failure_takes_it_back(
    fill: Callable[..., Path], call: Callable[..., str]
) -> None:
    call("grade", str(fill(ex1=RIGHT)))
    call("grade", str(fill(ex1=WRONG)))
    with pytest.raises(GradingError, match="has not passed yet"):
        call("commentary", "99", "1")


def test_an_exercise_without_one_says_so(mini: Path, call: Callable[..., str]) -> None:
    assert mini
    with pytest.raises(GradingError, match="no commentary on exercise 2"):
        call("commentary", "99", "2", "--anyway")


def test_no_lab_holds_it(mini: Path) -> None:
    for kind, found in (("solutions", 1), ("labs", 0)):
        cells = nb.read(mini / kind / "99_mini.ipynb")["cells"]
        assert sum(nb.is_commentary(cell) for cell in cells) == found


@pytest.mark.parametrize("path", course.notebooks("solutions"), ids=lambda p: p.stem)
def test_each_exercise_has_one_of_60_to_130_words(path: Path) -> None:
    cells = nb.read(path)["cells"]
    said = {nb.cell_id(c): c["source"] for c in cells if nb.is_commentary(c)}
    exercises = {nb.exercise_of(nb.cell_id(c)) for c in cells if nb.is_answer(c)}
    assert set(said) == {f"ex{k}-commentary" for k in exercises}
    for name, text in said.items():
        assert 60 <= len(text.split()) <= 130, name
