"""The workflow that grades a fork: its schema, and what it may do."""

from __future__ import annotations

import re
import subprocess
import sys

from typer.testing import CliRunner

from atleastonce import course
from atleastonce.cli import app

WORKFLOW = course.folder() / ".github" / "workflows" / "grade.yml"


def test_the_workflow_is_one_by_githubs_schema() -> None:
    # The schema comes with the program: nothing is downloaded.
    schema = ["--builtin-schema", "vendor.github-workflows"]
    argv = [sys.executable, "-m", "check_jsonschema", *schema, str(WORKFLOW)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_job_may_read_and_nothing_else() -> None:
    text = WORKFLOW.read_text()
    assert "permissions:\n  contents: read\n" in text
    assert "persist-credentials: false" in text
    assert "secrets." not in text


def test_the_command_it_runs_has_these_options() -> None:
    command = re.search(r"atleastonce (grade labs .*)", WORKFLOW.read_text())
    assert command
    wanted = [word for word in command[1].split() if word.startswith("--")]
    text = CliRunner().invoke(app, ["grade", "--help"], env={"COLUMNS": "200"}).output
    assert [word for word in wanted if word not in text] == []
