"""Finding a notebook by what a person types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce import course
from atleastonce.errors import AtLeastOnceError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with three lessons and a file that is none."""
    (tmp_path / "notebooks").mkdir()
    for name in ("01_duplicates", "02_loss", "10_result_bloat", "scratch"):
        (tmp_path / "notebooks" / f"{name}.ipynb").write_text("{}")
    monkeypatch.setattr(course, "folder", lambda: tmp_path)
    return tmp_path


def test_notebooks_come_in_the_order_of_the_course() -> None:
    stems = [path.stem for path in course.notebooks("notebooks")]
    assert stems == ["01_duplicates", "02_loss", "10_result_bloat"]


@pytest.mark.parametrize("name", ["1", "01", "01_duplicates"])
def test_a_number_or_a_stem_names_a_lesson(name: str) -> None:
    assert course.find(name, "notebooks").name == "01_duplicates.ipynb"


def test_a_path_names_any_notebook(clone: Path) -> None:
    path = clone / "notebooks" / "scratch.ipynb"
    assert course.find(str(path), "notebooks") == path


@pytest.mark.parametrize("name", ["0", "7", "100", "loss", "", "missing.ipynb"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(AtLeastOnceError) as caught:
        course.find(name, "notebooks")
    assert "02_loss" in caught.value.seen
    assert caught.value.attempt


def test_a_kind_without_a_folder_has_no_notebooks() -> None:
    assert course.notebooks("labs") == []


def test_a_unit_is_a_lesson_and_the_solution_of_its_lab_if_it_has_one(
    clone: Path,
) -> None:
    (clone / "solutions").mkdir()
    (clone / "solutions" / "02_loss.ipynb").write_text("{}")
    found = {name: course.unit(name) for name in ("01", "02")}
    kinds = {name: [p.parent.name for p in paths] for name, paths in found.items()}
    assert kinds == {"01": ["notebooks"], "02": ["notebooks", "solutions"]}
