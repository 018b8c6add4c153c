"""Give back pristine answer cells; what was there stays beside them as raw text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce import answers
from atleastonce.errors import GradingError
from atleastonce.grading import generate
from atleastonce.grading import notebook as nb
from atleastonce.whole import write

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.grading.notebook import Cell


def reset(path: Path, stem: str, exercise: int = 0) -> list[str]:
    """Put the stubs of *exercise* (0: of all) back into the lab in *path*.

    A raw cell below keeps the old text: JupyterLab shows it and never runs it.

    Returns:
        The ids of the cells that were reset; cells that are stubs stay as they are.

    Raises:
        GradingError: the lab has no such exercise, or can't be written.
    """
    lab, learner = generate.pristine(stem), nb.read(path)
    stubs = {nb.cell_id(c): c for c in lab["cells"] if nb.is_answer(c)}
    wanted = {n for n in stubs if exercise in {0, nb.exercise_of(n)}}
    if not wanted:
        raise GradingError(
            f"{stem} has no exercise {exercise}.",
            seen=f"it has {', '.join(sorted({str(nb.exercise_of(n)) for n in stubs}))}",
            attempt=f"atleastonce reset {stem[:2]} 1",
        )
    cells: list[Cell] = []
    done = []
    for cell in learner["cells"]:
        name = nb.cell_id(cell)
        if name not in wanted or answers.same(cell["source"], stubs[name]["source"]):
            cells.append(cell)
            continue
        taken = {nb.cell_id(c) for c in learner["cells"] + cells}
        cells += [stubs[name], _kept(name, cell["source"], taken)]
        done.append(name)
    if missing := wanted - {nb.cell_id(cell) for cell in cells}:
        names = ", ".join(sorted(missing))
        raise GradingError(
            f"{path} has no cell {names} any more.",
            attempt=f"mv {path} {path}.old; atleastonce labs",
        )
    if done:
        write(path, nb.dumps({**learner, "cells": cells}))
    return done


def _kept(name: str, source: str, taken: set[str]) -> Cell:
    number = 1
    while f"{name}-before-{number}" in taken:
        number += 1
    return {
        "cell_type": "raw",
        "id": f"{name}-before-{number}",
        "metadata": {},
        "source": source,
    }
