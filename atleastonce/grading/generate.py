"""Labs from solutions: the answers give way to their stubs, outputs to references.

How an author marks an answer stands in ``atleastonce.stubs``.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from atleastonce import course
from atleastonce.errors import GradingError
from atleastonce.grading import notebook as nb
from atleastonce.stubs import BEGIN, END, clear

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.grading.notebook import Cell, Notebook

#: Lets Run All reach the end of an untouched lab; the overlay takes it away again.
TOLERANT = "raises-exception"
#: What differs from run to run must not be compared: addresses, uuids, clock times.
_CHANGING = re.compile(
    r"0x[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|\d\d:\d\d:\d\d"
)


def pristine(stem: str) -> Notebook:
    """The lab of *stem*, made in memory from its solution."""
    path = course.find(stem, "solutions")
    return generate(nb.read(path), path.stem)


def generate(solution: Notebook, stem: str) -> Notebook:
    """The lab that belongs to *solution*; equal input gives equal bytes.

    Raises:
        GradingError: the solution breaks a rule of its format; all are named.
    """
    if found := list(problems(solution)):
        raise GradingError(
            f"{stem}: the solution breaks {len(found)} rules of its format.",
            seen="\n  ".join(found),
            attempt=f"edit solutions/{stem}.ipynb and run it again",
        )
    lab = copy.deepcopy(solution)
    lab["cells"] = [_lab_cell(c) for c in lab["cells"] if not nb.is_commentary(c)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    lab["metadata"] = {
        "kernelspec": kernel,
        "language_info": {"name": "python"},
        "atleastonce": {"lab": stem},
    }
    lab["nbformat"], lab["nbformat_minor"] = 4, 5
    return lab


def _lab_cell(cell: Cell) -> Cell:
    cell["metadata"].pop("execution", None)
    cell["id"] = nb.cell_id(cell)
    if nb.is_locked(cell):
        cell["metadata"] |= {"editable": False, "deletable": False}
    elif nb.is_answer(cell):
        cell["metadata"]["deletable"] = False
    if cell["cell_type"] == "code":
        _clear_code(cell)
    return cell


def _clear_code(cell: Cell) -> None:
    if nb.is_check(cell):
        ours = cell["metadata"].setdefault("atleastonce", {})
        ours["reference"] = [_plain(output) for output in cell["outputs"]]
    if nb.is_answer(cell):
        cell["source"] = clear(cell["source"])
    elif (nb.is_check(cell) or not nb.is_locked(cell)) and TOLERANT not in nb.tags(
        cell
    ):
        nb.tags(cell).append(TOLERANT)
    cell["outputs"], cell["execution_count"] = [], None


def _plain(output: dict[str, object]) -> dict[str, object]:
    return {**output, "execution_count": 1} if "execution_count" in output else output


def problems(solution: Notebook) -> Iterator[str]:
    """Each rule of the format that *solution* breaks, as one line."""
    names = [nb.cell_id(cell) for cell in solution["cells"]]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{name!r}: {names.count(name)} cells have this id"
    for cell in solution["cells"]:
        for problem in _cell_problems(cell):
            yield f"{nb.cell_id(cell)!r}: {problem}"


def _cell_problems(cell: Cell) -> Iterator[str]:
    name, meta = nb.cell_id(cell), nb.nbgrader(cell)
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) or cell.get("id", name) != name:
        yield f"the id {cell.get('id')!r} must equal grade_id, of A-Z a-z 0-9 _ -"
    if meta and meta.get("schema_version") != 3:  # noqa: PLR2004 - nbgrader's current one
        yield "the nbgrader metadata must say schema_version 3"
    if ("points" in meta) != nb.is_check(cell):
        yield "points belong to check cells, and to each of them"
    if (nb.is_check(cell) or nb.is_answer(cell)) and not nb.exercise_of(name):
        yield "the id of an answer or check begins with its exercise, such as ex1-"
    yield from _marker_problems(cell)
    if nb.is_check(cell):
        yield from _reference_problems(cell)


def _marker_problems(cell: Cell) -> Iterator[str]:
    lines = [line.strip() for line in cell["source"].split("\n")]
    marks = [line for line in lines if line in {BEGIN, END}]
    if marks and not nb.is_answer(cell):
        yield "a marked solution outside an answer cell would be handed out"
    if marks != [BEGIN, END] * (len(marks) // 2) or (nb.is_answer(cell) and not marks):
        yield f"each {BEGIN} needs its {END}, and an answer has at least one"


def _reference_problems(cell: Cell) -> Iterator[str]:
    if cell.get("execution_count") is None or not cell.get("outputs"):
        yield "a check's output is the reference: run the solution and save it"
    for output in cell.get("outputs", []):
        if output["output_type"] == "error":
            yield "the check failed in the solution"
        data = {
            k: v for k, v in output.get("data", {}).items() if k.startswith("text/")
        }
        for text in [str(v) for v in data.values()] + [str(output.get("text", ""))]:
            if changing := _CHANGING.search(text):
                yield f"{changing[0]!r} in the output changes from run to run"
