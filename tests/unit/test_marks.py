"""A lesson is marked as run when JupyterLab has it open, and by nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce import course, marks

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("session", "ran"),
    [
        ("/clone/notebooks/01_duplicates.ipynb", True),
        ("/clone/notebooks/02_loss.ipynb", False),
        ("/clone/labs/01_duplicates.ipynb", False),
        ("", False),
    ],
)
def test_a_closed_lesson_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str, *, ran: bool
) -> None:
    monkeypatch.setattr(course, "folder", lambda: tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", session)
    marks.lesson_closed("01_duplicates")
    assert marks.load()["lessons"] == ({"01_duplicates": True} if ran else {})


def test_a_clone_that_can_t_be_written_has_no_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "folder", lambda: tmp_path / "file")
    (tmp_path / "file").write_text("no folder")
    marks.lesson_ran("01_duplicates")
    assert marks.load() == {"lessons": {}, "labs": {}}
