"""The workflows: their schema, what they may do, and what they run."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from atleastonce import course
from atleastonce.cli import app

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = course.folder() / ".github" / "workflows"
GRADE, CI = FOLDER / "grade.yml", FOLDER / "ci.yml"
each = pytest.mark.parametrize("workflow", [GRADE, CI], ids=lambda path: path.stem)


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("github-workflows", GRADE),
        ("github-workflows", CI),
        ("compose-spec", course.folder() / "docker-compose.yml"),
    ],
    ids=["grade", "ci", "compose"],
)
def test_it_is_one_by_its_schema(schema: str, path: Path) -> None:
    # The schema comes with the program: nothing is downloaded.
    wanted = ["--builtin-schema", f"vendor.{schema}"]
    argv = [sys.executable, "-m", "check_jsonschema", *wanted, str(path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@each
def test_the_jobs_may_read_and_nothing_else(workflow: Path) -> None:
    text = workflow.read_text()
    assert re.findall(r"permissions:\n((?:  .*\n)*)", text) == ["  contents: read\n"]
    checkouts = text.count("actions/checkout@")
    assert checkouts == text.count("persist-credentials: false") > 0
    assert "secrets." not in text


@each
def test_an_action_is_named_by_its_commit(workflow: Path) -> None:
    used = re.findall(r"uses: (.*)", workflow.read_text())
    assert used
    pinned = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [name for name in used if not pinned.fullmatch(name)] == []


def test_ci_tests_every_python_and_every_folder() -> None:
    text = CI.read_text()
    assert 'python: ["3.11", "3.12", "3.13"]' in text
    folders = {path.name for path in (course.folder() / "tests").iterdir()}
    wanted = folders & {"unit", "live", "docker", "browser"}
    assert wanted == set(re.findall(r"pytest .*tests/(\w+)", text))


def test_the_command_it_runs_has_these_options() -> None:
    command = re.search(r"atleastonce (grade labs .*)", GRADE.read_text())
    assert command
    wanted = [word for word in command[1].split() if word.startswith("--")]
    text = CliRunner().invoke(app, ["grade", "--help"], env={"COLUMNS": "200"}).output
    assert [word for word in wanted if word not in text] == []
