"""A lab small enough to test grading with: two exercises, no services.

Its world is a file: a charge is a line of ``ledger.txt``. So an effect can be made by a
helper, a thread or a child process, and be undone later.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbformat import from_dict

from atleastonce.grading import generate, notebook
from atleastonce.stubs import of_cells
from atleastonce.whole import write

STEM = "99_mini"

CHARGE = '''\
def charge(order: int) -> None:
    """Charge *order*: one line in the ledger."""
    # TODO: charge once, however often you are called.
    ### BEGIN SOLUTION
    if order not in ledger():
        write(order)
    ### END SOLUTION'''

REFUND = '''\
### BEGIN SOLUTION
### STUB import os
import os
### END SOLUTION
def refund(order: int) -> int:
    """Take *order* out of the ledger; how many lines were there."""
    ### BEGIN SOLUTION
    kept = [line for line in ledger() if line != order]
    found = len(ledger()) - len(kept)
    Path("ledger.txt").write_text("".join(f"{line}\\n" for line in kept))
    return found
    ### END SOLUTION'''

SETUP = """\
from pathlib import Path
from atleastonce import claims
from atleastonce.claims import check, evidence

book = claims.attend({stubs})

def ledger() -> list[int]:
    return [int(line) for line in Path("ledger.txt").read_text().split()]

def write(order: int) -> None:
    with Path("ledger.txt").open("a") as file:
        file.write(f"{{order}}\\n")

Path("ledger.txt").write_text("")"""

ONCE = """\
charge(1)
check(
    "ex1-once",
    "one charge per order",
    evidence("charges", seen=lambda: ledger().count(1), want=1),
)"""

TWICE = """\
charge(2)
charge(2)
charge(3)
check(
    "ex1-twice",
    "a second call does not charge again",
    evidence("charges of 2", seen=lambda: ledger().count(2), want=1, show="2\\n2"),
    evidence("charges of 3", seen=lambda: ledger().count(3), want=1),
)"""

BACK = """\
write(7)
write(8)
found = refund(7)
check(
    "ex2-back",
    "a refund takes out its own order only",
    evidence("left of 7", seen=ledger().count(7), want=0),
    evidence("left of 8", seen=ledger().count(8), want=1),
    evidence("told", seen=found, want=1),
)"""

HINTS = """\
<details><summary>Hint 1</summary>
Which lines are there before you write?
</details>
<details><summary>Hint 2</summary>
Read the ledger first.
</details>"""


def _cell(kind: str, name: str, source: str, **nbgrader: object) -> dict[str, Any]:
    meta = {"grade": False, "locked": False, "solution": False, "task": False}
    meta |= {"grade_id": name, "schema_version": 3, **nbgrader}
    cell = {"cell_type": kind, "id": name, "source": source}
    cell["metadata"] = {"nbgrader": meta} if nbgrader else {}
    if kind == "code":
        cell |= {"outputs": [], "execution_count": None}
    return cell


def _check(name: str, source: str, points: int = 1) -> dict[str, Any]:
    return _cell("code", name, source, grade=True, locked=True, points=points)


def solution() -> dict[str, Any]:
    """The solution, not yet run."""
    answers = [
        _cell("code", "ex1-answer", CHARGE, solution=True),
        _cell("code", "ex2-answer", REFUND, solution=True),
    ]
    stubs = of_cells(answers)
    setup = SETUP.format(stubs=json.dumps(stubs))
    cells = [
        _cell("markdown", "title", "# A mini lab", locked=True),
        _cell("code", "set-up", setup, locked=True),
        _cell("markdown", "ex1-contract", "Charge once.", locked=True),
        answers[0],
        _cell("code", "ex1-try", "charge(0)\nledger()"),
        _check("ex1-once", ONCE),
        _check("ex1-twice", TWICE, 2),
        _cell("markdown", "ex1-hints", HINTS, locked=True),
        _cell("markdown", "ex1-commentary", "It reads the *whole* ledger each time."),
        answers[1],
        _check("ex2-back", BACK),
        _cell("code", "close", "book.recheck(wait=0.5)", locked=True),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def build(folder: Path) -> None:
    """Write solution (executed) and lab of the mini course into *folder*."""
    node = from_dict(solution())
    (folder / "solutions").mkdir(parents=True, exist_ok=True)
    NotebookClient(node, timeout=30, resources={"metadata": {"path": folder}}).execute()
    for cell in node.cells:
        cell.metadata.pop("execution", None)
    plain = json.loads(json.dumps(node))
    path = folder / "solutions" / f"{STEM}.ipynb"
    write(path, notebook.dumps(plain))
    lab = generate.generate(notebook.read(path), STEM)
    write(folder / "labs" / f"{STEM}.ipynb", notebook.dumps(lab))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
