"""The errors that matter in notebooks, ``%%tasks`` bodies included.

Ruff skips a cell whose magic it does not know, and then misses the names it defines.
So each notebook is linted with those cells turned into plain ones, and each body once
more on its own: a worker imports it without the kernel's names.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from pathlib import Path

#: Syntax errors, comparisons and statements that can't be meant, undefined names.
RULES = "E9,F63,F7,F82"
MAGIC = "%%tasks"

NOTEBOOKS = [
    path
    for kind in ("notebooks", "solutions", "labs")
    for path in course.notebooks(kind)
]


def bodies(book: dict[str, Any]) -> dict[str, str]:
    """The text of each ``%%tasks`` cell by the cell's id.

    The magic binds the module's name, so that is what its line becomes.
    """
    code = (c for c in book["cells"] if c["cell_type"] == "code")
    texts = {c["id"]: "".join(c["source"]) for c in code}
    return {
        cell: text.replace(MAGIC, "import", 1) + "\n"
        for cell, text in texts.items()
        if text.startswith(MAGIC)
    }


def plain(book: dict[str, Any]) -> dict[str, Any]:
    """The notebook with ``%%tasks`` cells turned into ordinary ones."""
    found = bodies(book)
    cells = [{**c, "source": found.get(c["id"], c["source"])} for c in book["cells"]]
    return {**book, "cells": cells}


def ruff(folder: Path, builtins: list[str]) -> str:
    """What ruff has to say about the files in *folder*, "" if nothing."""
    argv = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    options = [f"--select={RULES}", f"--config=builtins={json.dumps(builtins)}"]
    done = subprocess.run(
        [*argv, *options, "--output-format=concise", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).strip() if done.returncode else ""


def lint(book: dict[str, Any], folder: Path) -> str:
    """What is wrong in *book*; *folder* is for scratch files."""
    whole, parts = folder / "whole", folder / "parts"
    whole.mkdir()
    parts.mkdir()
    (whole / "book.ipynb").write_text(json.dumps(plain(book)))
    for cell, body in bodies(book).items():
        (parts / f"{cell}.py").write_text(body)
    found = [ruff(whole, ["app"] if bodies(book) else []), ruff(parts, ["app"])]
    return "\n".join(filter(None, found))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_notebook_has_no_error_that_matters(path: Path, tmp_path: Path) -> None:
    assert lint(json.loads(path.read_text("utf-8")), tmp_path) == ""


def make(*sources: str) -> dict[str, Any]:
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": source,
        }
        for number, source in enumerate(sources)
    ]
    meta = {"language_info": {"name": "python"}}
    return {"cells": cells, "metadata": meta, "nbformat": 4, "nbformat_minor": 5}


TASKS = "%%tasks billing\n@app.task\ndef pay(order):\n    return {}\n"


@pytest.mark.parametrize(
    ("sources", "rule"),
    [
        ((TASKS.format("undefined"),), "F821"),
        (("rate = 2", TASKS.format("rate")), "F821"),
        ((TASKS.format("("),), "invalid-syntax"),
        (("print(missing)",), "F821"),
        ((TASKS.format("order"), "return pay"), "F706"),
    ],
    ids=["undefined", "name of the kernel", "syntax", "undefined in a cell", "return"],
)
def test_a_planted_error_is_found(
    sources: tuple[str, ...], rule: str, tmp_path: Path
) -> None:
    assert rule in lint(make(*sources), tmp_path)


def test_names_of_tasks_and_top_level_await_are_fine(tmp_path: Path) -> None:
    book = make(TASKS.format("order"), "pay.delay(1), billing.pay", "%time 1")
    book["cells"].append({**book["cells"][0], "id": "x", "source": "await pay(1)"})
    assert lint(book, tmp_path) == ""
