"""Lessons and labs, opened in JupyterLab: Restart Kernel and Run All Cells.

``make test`` takes the first unit here, since ``verify`` runs all cells of the others;
``make browser`` takes all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import course, marks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.browser

FIRST = ("00_", "01_")
NOTEBOOKS = [
    pytest.param(
        path,
        id=f"{path.parent.name}/{path.stem}",
        marks=[] if path.stem.startswith(FIRST) else [pytest.mark.slow],
    )
    for path in course.notebooks("notebooks") + course.notebooks("labs")
]


def forget(stem: str) -> None:
    """The lesson counts as not run."""
    known = marks.load()
    known["lessons"].pop(stem, None)
    marks.save(known)


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_restart_and_run_all_reaches_the_end(
    path: Path, opened: Callable[[Path], Any]
) -> None:
    before = path.read_bytes()
    lesson = path.parent.name == "notebooks"
    forget(path.stem)
    sheet = opened(path)
    cells = sheet.run_all()
    sheet.picture()
    shown = {c["id"]: c["errors"] for c in cells if c["errors"]}
    allowed = {c["id"] for c in cells if "raises-exception" in c["tags"]}
    ran = [c["count"] for c in cells if not c["empty"]]
    assert {k: v for k, v in shown.items() if k not in allowed} == {}
    assert ran == list(range(1, len(ran) + 1))
    assert path.read_bytes() == before
    assert marks.load()["lessons"].get(path.stem, False) is lesson
