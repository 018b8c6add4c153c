"""Marks of what was done: the last grade of each lab, the last run of each lesson.

They live in ``.atleastonce/progress.json`` of the clone, which git ignores.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from atleastonce import course
from atleastonce.errors import GradingError
from atleastonce.settings import Settings
from atleastonce.whole import write


def load() -> dict[str, Any]:
    """All marks; damaged or missing ones are as good as none."""
    try:
        found = json.loads(_path().read_text())
    except (OSError, ValueError):
        found = {}
    marks = found if isinstance(found, dict) else {}
    return {"lessons": {}, "labs": {}} | marks


def save(marks: dict[str, Any]) -> None:
    """Keep all marks.

    Raises:
        GradingError: they can't be written.
    """
    write(_path(), json.dumps(marks, indent=1, sort_keys=True) + "\n")


def lesson_ran(stem: str) -> None:
    """Mark a lesson as run to its end; a clone that can't be written has no marks."""
    marks = load()
    marks["lessons"][stem] = True
    with suppress(GradingError):
        save(marks)


def lesson_closed(stem: str) -> None:
    """The same, where JupyterLab has the lesson itself open, and not its lab."""
    session = Path(Settings.from_env().notebook)
    if session.parent.name == "notebooks" and session.stem == stem:
        lesson_ran(stem)


def _path() -> Path:
    return course.folder() / ".atleastonce" / "progress.json"
