"""The mini lab, built once, and a course that consists of it."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import course
from atleastonce.grading import notebook

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def mini_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``solutions/`` and ``labs/`` of the mini lab."""
    path = HERE / "mini" / "build.py"
    spec = importlib.util.spec_from_file_location("mini_build", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("course")
    module.build(folder)
    return folder


@pytest.fixture
def mini(mini_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the mini course, which is the course while the test runs."""
    folder = tmp_path / "course"
    shutil.copytree(mini_course, folder)
    monkeypatch.setattr(course, "folder", lambda: folder)
    return folder


@pytest.fixture
def fill(mini: Path) -> Callable[..., Path]:
    """Fill answers into the mini lab: ``fill(ex1="...", ex2="...")``."""

    def filled(**answers: str) -> Path:
        path = mini / "labs" / "99_mini.ipynb"
        lab: dict[str, Any] = notebook.read(path)
        for cell in lab["cells"]:
            exercise = notebook.cell_id(cell).removesuffix("-answer")
            if exercise in answers:
                cell["source"] = answers[exercise]
        path.write_text(json.dumps(lab))
        return path

    return filled
