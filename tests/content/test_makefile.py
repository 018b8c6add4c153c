"""The Makefile on machines that lack something, and what it does not do twice."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from pathlib import Path

#: A Python of the right version; what `-c` may import decides the case's second word.
FAKE = """#!/bin/sh
case "$2" in *version_info*) exit {fits} ;; *ensurepip*) exit {pips} ;; esac
exit 9
"""


def make(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *words],
        cwd=course.folder(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def fake(path: Path, *, fits: bool, pips: bool) -> str:
    path.write_text(FAKE.format(fits=int(not fits), pips=int(not pips)))
    path.chmod(0o755)
    return str(path)


def test_help_names_every_target() -> None:
    text = (course.folder() / "Makefile").read_text()
    [targets] = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    shown = re.findall(r"^ +make ([\w-]+) +\S", make("help").stdout, re.MULTILINE)
    assert shown == targets.split()


@pytest.mark.parametrize("python", ["no-such-python", "old"])
def test_no_python_that_fits_says_what_to_try(python: str, tmp_path: Path) -> None:
    old = fake(tmp_path / "old", fits=False, pips=True)
    chosen = old if python == "old" else python
    done = make("start", f"VENV={tmp_path}/venv", f"PYTHON={chosen}")
    assert done.returncode == 2
    assert f"No Python 3.11, 3.12 or 3.13 among: {chosen}." in done.stderr
    assert "Try: make start PYTHON=" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_a_python_without_ensurepip_says_what_to_install(tmp_path: Path) -> None:
    bare = fake(tmp_path / "bare", fits=True, pips=False)
    done = make("start", f"VENV={tmp_path}/venv", f"PYTHON={bare}")
    assert done.returncode == 2
    assert "has no ensurepip" in done.stderr
    assert "Try: sudo apt install python3-venv" in done.stderr


@pytest.mark.parametrize("works", [True, False])
def test_an_environment_made_by_hand_is_kept_if_it_works(
    tmp_path: Path, *, works: bool
) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\nexit {int(not works)}\n")
    python.chmod(0o755)
    done = make(f"{tmp_path}/venv/made", f"VENV={tmp_path}/venv", "PYTHON=no-such")
    assert (done.returncode == 0) is works
    assert (tmp_path / "venv" / "made").exists() is works
    assert python.exists()


def test_a_second_start_installs_nothing(tmp_path: Path) -> None:
    for stamp in ("made", "ready"):
        (tmp_path / stamp).touch()
    planned = make("-n", "start", f"VENV={tmp_path}").stdout
    assert "atleastonce.jupyter" in planned
    assert "pip" not in planned


def test_a_changed_list_of_packages_installs_again(tmp_path: Path) -> None:
    (tmp_path / "made").touch()
    planned = make("-n", "start", f"VENV={tmp_path}").stdout
    assert "pip install" in planned
    assert "-m venv" not in planned


def test_a_port_reaches_the_server(tmp_path: Path) -> None:
    planned = make("-n", "start", f"VENV={tmp_path}", "PORT=9000").stdout
    assert "atleastonce.jupyter --port 9000" in planned
