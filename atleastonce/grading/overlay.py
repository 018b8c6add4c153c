"""A learner's answers on the pristine lab; everything else is ours again.

The result is what nbval runs. Order, sources and references of our cells come from the
pristine lab, whatever the learner did to them; answers and cells that the learner added
come from the learner, in the order in which Run All would run them.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from atleastonce import answers
from atleastonce.errors import GradingError
from atleastonce.grading import notebook as nb

if TYPE_CHECKING:
    from atleastonce.grading.notebook import Cell, Notebook

#: Cells of ours that a grading run leaves out, such as "watch it fail first".
UNGRADED = "ungraded"
#: nbval: run it, whatever it prints or raises.
FREE_TAGS = ["nbval-ignore-output", "raises-exception"]


@dataclass
class Overlay:
    """The notebook to run, and what was noticed on the way.

    Attributes:
        notebook: the pristine lab with the learner's answers, ready for nbval.
        sources: the learner's code cells, in the order in which they run.
        answers: the sources of the answer cells, by the id of ours.
        notes: what a learner may want to know, such as a restored check.
    """

    notebook: Notebook
    sources: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def overlay(pristine: Notebook, learner: Notebook) -> Overlay:
    """Lay *learner*'s answers over *pristine*; neither is changed.

    Raises:
        GradingError: nothing in *learner* belongs to this lab.
    """
    mine = _matched(pristine, learner)
    if not any(nb.cell_id(cell) in mine for cell in pristine["cells"]):
        raise GradingError(
            "No cell of this notebook belongs to the lab it is graded as.",
            attempt="grade it under the name of its own lab",
        )
    laid = Overlay({**pristine, "cells": []})
    extras = _extras(pristine, learner, mine)
    _add_extras(laid, extras.get("", []))
    for cell in pristine["cells"]:
        _add_ours(laid, cell, mine.get(nb.cell_id(cell)))
        _add_extras(laid, extras.get(nb.cell_id(cell), []))
    laid.notebook["nbformat"], laid.notebook["nbformat_minor"] = 4, 5
    return laid


def only(laid: Notebook, exercises: set[int]) -> Notebook:
    """The cells of *exercises*, and those of no exercise: set-up, extras, close."""
    wanted = {0, *exercises}
    cells = [c for c in laid["cells"] if nb.exercise_of(nb.cell_id(c)) in wanted]
    return {**laid, "cells": cells}


def _matched(pristine: Notebook, learner: Notebook) -> dict[str, Cell]:
    """The learner's cell for each id of ours; of doubled ones the first."""
    found: dict[str, Cell] = {}
    for cell in learner["cells"]:
        found.setdefault(nb.cell_id(cell), cell)
    found.pop("", None)
    known = {nb.cell_id(cell) for cell in pristine["cells"]}
    taken = {id(cell) for name, cell in found.items() if name in known}
    # A tool that drops ids and metadata leaves the text: an answer has its own names.
    for ours in filter(nb.is_answer, pristine["cells"]):
        names = answers.titles(ours["source"])
        for cell in learner["cells"]:
            if nb.cell_id(ours) in found:
                break
            if id(cell) not in taken and names & answers.titles(cell["source"]):
                found[nb.cell_id(ours)] = cell
    return found


def _extras(
    pristine: Notebook, learner: Notebook, mine: dict[str, Cell]
) -> dict[str, list[Cell]]:
    """Code cells that the learner added, by the id of our cell before them."""
    known = {nb.cell_id(cell) for cell in pristine["cells"]}
    ours = {id(cell): name for name, cell in mine.items() if name in known}
    locked = [cell for cell in pristine["cells"] if nb.is_locked(cell)]
    copies = {nb.cell_id(cell) for cell in locked} | {c["source"] for c in locked}
    extras: dict[str, list[Cell]] = {}
    anchor = ""
    for cell in learner["cells"]:
        if id(cell) in ours:
            anchor = ours[id(cell)]
        # A copy of a cell of ours is no cell of the learner's, whatever its id.
        elif _runs(cell) and not {nb.cell_id(cell), cell["source"]} & copies:
            extras.setdefault(anchor, []).append(cell)
    return extras


def _runs(cell: Cell) -> bool:
    return cell["cell_type"] == "code" and bool(cell["source"].strip())


def _add_extras(laid: Overlay, extras: list[Cell]) -> None:
    for cell in extras:
        number = 1 + sum(c["id"].startswith("extra-") for c in laid.notebook["cells"])
        laid.notebook["cells"].append(_free(f"extra-{number}", cell["source"]))
        laid.sources.append(cell["source"])
        laid.notes.append(f"extra-{number}: a cell of yours, run and not graded")


def _free(name: str, source: str) -> Cell:
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"tags": list(FREE_TAGS)},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def _add_ours(laid: Overlay, ours: Cell, theirs: Cell | None) -> None:
    name, cells = nb.cell_id(ours), laid.notebook["cells"]
    if theirs is None and nb.is_locked(ours):
        laid.notes.append(f"{name}: missing in your file; ours was used")
    if nb.is_answer(ours):
        _add_answer(laid, ours, theirs)
    elif nb.is_locked(ours) or ours["cell_type"] != "code":
        if theirs and nb.is_locked(ours) and theirs["source"] != ours["source"]:
            laid.notes.append(f"{name}: changed in your file; ours was used")
        if UNGRADED not in nb.tags(copy.deepcopy(ours)):
            cells.append(_restored(ours))
    elif theirs and _runs(theirs):
        laid.sources.append(theirs["source"])
        # A try cell as we wrote it tries nothing that a check would not.
        if theirs["source"] != ours["source"]:
            cells.append(_free(name, theirs["source"]))


def _add_answer(laid: Overlay, ours: Cell, theirs: Cell | None) -> None:
    name = nb.cell_id(ours)
    source = theirs["source"] if theirs else ""
    if theirs and theirs["cell_type"] != "code":
        laid.notes.append(f"{name}: no code cell in your file; its text was run")
    module = answers.module(ours["source"])
    if module and answers.module(source) != module and not answers.empty(source):
        laid.notes.append(
            f"{name}: not read, for its first line is not %%tasks {module}"
        )
    laid.notebook["cells"].append(_free(name, source))
    laid.sources.append(source)
    laid.answers[name] = source


def _restored(ours: Cell) -> Cell:
    cell = copy.deepcopy(ours)
    if cell["cell_type"] != "code":
        return cell
    cell["metadata"]["tags"] = [t for t in nb.tags(cell) if t != "raises-exception"]
    if nb.is_check(cell):
        # nbval compares nothing where the count is null.
        cell["outputs"] = nb.course_metadata(cell).get("reference", [])
        cell["execution_count"] = 1
    else:
        nb.tags(cell).append("nbval-ignore-output")
    return cell
