"""``verify`` and ``soak`` on a small clone with notebooks of a few lines."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import psutil
import pytest
import typer
from typer.testing import CliRunner

from atleastonce import course, soak
from atleastonce.cli.base import app
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

#: Says how often it ran: its stored output is right the first time only.
COUNTING = """\
from pathlib import Path
ran = Path("ran")
ran.write_text(ran.read_text() + "x" if ran.exists() else "x")
print(len(ran.read_text()))"""


def write(path: Path, source: str, printed: str) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    cell = {
        "cell_type": "code",
        "id": "only",
        "metadata": {},
        "source": source,
        "execution_count": 1,
        "outputs": [output],
    }
    path.parent.mkdir(exist_ok=True)
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(course.folder() / "pyproject.toml", tmp_path)
    monkeypatch.setattr(course, "folder", lambda: tmp_path)
    for kind in ("notebooks", "solutions"):
        write(tmp_path / kind / "01_duplicates.ipynb", "print(1)", "1\n")
    return tmp_path


def test_equal_notebooks_pass_and_are_reported(clone: Path) -> None:
    report = clone / "junit.xml"
    done = CliRunner().invoke(app, ["verify", "--json", "--junit", str(report)])
    rows = json.loads(done.stdout)
    assert done.exit_code == 0
    assert [(row["notebook"], row["cells"], row["passed"]) for row in rows] == [
        ("notebooks/01_duplicates.ipynb", 1, True),
        ("solutions/01_duplicates.ipynb", 1, True),
    ]
    assert len(list(ET.parse(report).iter("testcase"))) == 2  # noqa: S314 - ours


def test_a_difference_fails_and_names_the_notebook(clone: Path) -> None:
    write(clone / "solutions/01_duplicates.ipynb", "print(2)", "1\n")
    done = CliRunner().invoke(app, ["verify", "01", "--json"])
    rows = json.loads(done.stdout)
    assert done.exit_code == 1
    assert [(row["failed"], row["passed"]) for row in rows] == [(0, True), (1, False)]


def test_a_lesson_without_a_lab_is_verified_alone(clone: Path) -> None:
    write(clone / "notebooks/00_start_here.ipynb", "print(1)", "1\n")
    done = CliRunner().invoke(app, ["verify", "00", "--json"])
    assert [row["notebook"] for row in json.loads(done.stdout)] == [
        "notebooks/00_start_here.ipynb"
    ]
    assert done.exit_code == 0


def test_a_soak_of_equal_runs_says_n_of_n(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clone
    soak.main("01", runs=2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("run 1 of 2, cores idle: equal")
    assert lines[1].startswith("run 2 of 2, cores busy: equal")
    assert lines[-1] == "2 of 2"


def test_a_soak_stops_at_the_first_difference(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(clone / "notebooks/01_duplicates.ipynb", COUNTING, "1\n")
    with pytest.raises(typer.Exit) as ended:
        soak.main("01", runs=5)
    assert ended.value.exit_code == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 5"


def burners() -> list[psutil.Process]:
    return [p for p in psutil.process_iter() if soak.BURNER in _argv(p)]


def _argv(process: psutil.Process) -> list[str]:
    try:
        found: list[str] = process.cmdline()
    except psutil.Error:
        found = []
    return found


def test_burners_end_with_their_block() -> None:
    with soak.busy_cores():
        mine = [p for p in burners() if p.ppid() == os.getpid()]
        assert len(mine) == os.cpu_count()
    assert [p for p in mine if p.is_running()] == []


def test_burners_end_with_a_killed_soak() -> None:
    code = (
        "from atleastonce import soak; import signal\n"
        "with soak.busy_cores():\n print('on', flush=True); signal.pause()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as it:
        assert it.stdout
        it.stdout.readline()
        mine = [p for p in burners() if p.ppid() == it.pid]
        it.send_signal(signal.SIGKILL)
    assert mine
    wait_until(
        lambda: not [p for p in mine if p.is_running()],
        timeout=5,
        what="burners to end",
    )
