"""A notebook in the terminal: ``atleastonce run``, in a real kernel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner, Result

from atleastonce import needs
from atleastonce.cli.base import app
from atleastonce.errors import AtLeastOnceError, NoService

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live
NEEDY = {"atleastonce": {"needs": ["rabbitmq"]}}


@pytest.fixture(autouse=True)
def without_rabbitmq(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "program", lambda _need: "")


def write(path: Path, *sources: str, metadata: object = None) -> Path:
    """A notebook; *metadata* is that of its last cell."""
    cells = [
        {
            "cell_type": "markdown" if source.startswith("# ") else "code",
            "id": f"cell-{number}",
            "metadata": {},
            "source": source,
        }
        for number, source in enumerate(sources)
    ]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    cells[-1]["metadata"] = metadata or {}
    path.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    return path


def run(path: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["run", str(path), *options])


def test_it_prints_headings_and_what_cells_print(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", "# Charged twice", "print('m1')", "6 * 7")
    before = path.read_bytes()
    done = run(path)
    assert done.exit_code == 0
    for text in ("Charged twice", "cell 1 of 2", "m1", "42", "a: 2 cells in"):
        assert text in done.output
    assert path.read_bytes() == before


def test_a_failing_cell_ends_it_with_its_traceback(tmp_path: Path) -> None:
    done = run(write(tmp_path / "a.ipynb", "1 / 0", "print('never')"))
    assert done.exit_code == 1
    assert "ZeroDivisionError" in done.output
    assert "never" not in done.output


def test_an_expected_error_is_shown_and_passed(tmp_path: Path) -> None:
    tagged = {"tags": ["raises-exception"]}
    done = run(write(tmp_path / "a.ipynb", "1 / 0", metadata=tagged))
    assert done.exit_code == 0
    assert "ZeroDivisionError" in done.output


def test_a_cell_without_its_service_is_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATLEASTONCE_REQUIRE", raising=False)
    done = run(write(tmp_path / "a.ipynb", "1", "1 / 0", metadata=NEEDY))
    assert done.exit_code == 0
    assert "cell 2 of 2 skipped: needs rabbitmq" in done.output


def test_a_required_service_that_is_missing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLEASTONCE_REQUIRE", "rabbitmq")
    done = run(write(tmp_path / "a.ipynb", "1", metadata=NEEDY))
    assert isinstance(done.exception, NoService)


@pytest.mark.parametrize(
    ("source", "said"),
    [("import os; os._exit(3)", "died"), ("while True: pass", "timed out")],
)
def test_a_dead_or_endless_cell_ends_it(source: str, said: str, tmp_path: Path) -> None:
    done = run(write(tmp_path / "a.ipynb", source), "--timeout", "3")
    assert done.exit_code == 1
    assert said in done.output.lower()


@pytest.mark.parametrize("text", ["", "no", "[]", "{}", '{"cells": 3}'])
def test_what_is_not_a_notebook_says_so(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text)
    done = run(path)
    assert isinstance(done.exception, AtLeastOnceError)
    assert "can't be read as a notebook" in done.exception.what
