"""Notebooks as plain data: reading what learners hand in, and writing it one way only.

Cells carry nbgrader's metadata (schema 3); a cell's id equals its ``grade_id``. An id
that starts with ``ex2-`` belongs to exercise 2.
"""

from __future__ import annotations

import json
import re
import warnings
from typing import TYPE_CHECKING, Any

from atleastonce.errors import GradingError
from atleastonce.grading import fastimport  # noqa: F401 - to come before nbformat

if TYPE_CHECKING:
    from pathlib import Path

Notebook = dict[str, Any]
Cell = dict[str, Any]

_EXERCISE = re.compile(r"ex(\d+)(?:-|$)")
_KIND = re.compile(r"#+ Exercise \d+ \((core|stretch)\)")
#: Seconds and megabytes are spent on what no learner writes by hand.
MOST_BYTES = 64 * 1024 * 1024


def read(path: Path) -> Notebook:
    """The notebook in *path*, as nbformat 4, whatever version it is stored in.

    Raises:
        GradingError: it is missing, damaged, or no notebook.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise GradingError(f"{path} is larger than {MOST_BYTES >> 20} MiB.")
        return _parse(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(path, error) from None
    except RecursionError as error:
        raise _unreadable(path, error) from None


def _parse(text: str) -> Notebook:
    import nbformat  # noqa: PLC0415 - 0.3 s, and not every verb reads a notebook

    with warnings.catch_warnings():
        # Missing and doubled ids are expected of learners' files; overlay settles them.
        warnings.simplefilter("ignore")
        try:
            found = nbformat.reads(text, as_version=4)
        except nbformat.ValidationError as error:  # it is no ValueError
            raise ValueError(str(error)) from None
    notebook: Notebook = json.loads(json.dumps(found))
    for cell in notebook["cells"]:
        _settle(cell)
    return notebook


def _settle(cell: Cell) -> None:
    source = cell["source"]
    cell["source"] = source if isinstance(source, str) else "".join(source)
    if not isinstance(cell["metadata"], dict):
        raise TypeError("a cell's metadata is no object")
    if not isinstance(cell["metadata"].get("nbgrader", {}), dict):
        del cell["metadata"]["nbgrader"]


def _unreadable(path: Path, error: Exception) -> GradingError:
    return GradingError(
        f"{path} can't be read as a notebook.",
        seen=f"{type(error).__name__}: {str(error)[:200]}",
        attempt="open it in JupyterLab, save it, and grade it again",
    )


def cell_id(cell: Cell) -> str:
    """The ``grade_id``, else the cell's own id, else ""."""
    return str(nbgrader(cell).get("grade_id") or cell.get("id") or "")


def nbgrader(cell: Cell) -> dict[str, Any]:
    """The cell's nbgrader metadata; empty for a free cell."""
    found: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return found


def course_metadata(cell: Cell) -> dict[str, Any]:
    """Our own metadata of a cell or notebook; empty when there is none."""
    found = cell["metadata"].get("atleastonce")
    return found if isinstance(found, dict) else {}


def is_answer(cell: Cell) -> bool:
    """A code cell that the learner fills in."""
    return bool(nbgrader(cell).get("solution"))


def is_check(cell: Cell) -> bool:
    """A locked code cell that gives points."""
    return bool(nbgrader(cell).get("grade")) and not is_answer(cell)


def is_locked(cell: Cell) -> bool:
    """A cell that is ours: set-up, contract, check, close."""
    return bool(nbgrader(cell).get("locked"))


def is_commentary(cell: Cell) -> bool:
    """A text on our answer, for who has passed; it is in no lab."""
    return cell_id(cell).endswith("-commentary") and cell["cell_type"] == "markdown"


def exercise_of(name: str) -> int:
    """The exercise that a cell's or check's id belongs to; 0 for none."""
    found = _EXERCISE.match(name)
    return int(found[1]) if found else 0


def kind_of(notebook: Notebook, exercise: int) -> str:
    """``core`` or ``stretch``, as the exercise's heading says; "" for neither."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and exercise_of(cell_id(cell)) == exercise:
            found = _KIND.match(cell["source"])
            if found:
                return found[1]
    return ""


def tags(cell: Cell) -> list[str]:
    """The cell's tags; the list itself, made when there is none."""
    found: list[str] = cell["metadata"].setdefault("tags", [])
    return found


def dumps(notebook: Notebook) -> str:
    """The one text of a notebook: sorted keys, one line of JSON per source line."""
    split = {**notebook, "cells": [_split(cell) for cell in notebook["cells"]]}
    return json.dumps(split, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _split(cell: Cell) -> Cell:
    lines = {"source": cell["source"].splitlines(keepends=True)}
    if "outputs" in cell:
        lines["outputs"] = [_split_output(output) for output in cell["outputs"]]
    return {**cell, **lines}


def _split_output(output: dict[str, Any]) -> dict[str, Any]:
    found = dict(output)
    if isinstance(found.get("text"), str):
        found["text"] = found["text"].splitlines(keepends=True)
    if "data" in found:
        found["data"] = {kind: _split_data(v) for kind, v in found["data"].items()}
    return found


def _split_data(value: object) -> object:
    return value.splitlines(keepends=True) if isinstance(value, str) else value
