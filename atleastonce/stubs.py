"""The stub of an answer: what a lab hands out in its place.

An author marks each answer in ``solutions/``::

    def charge_order(order_id: int) -> None:
        # TODO: charge once, wherever the worker dies.
        ### BEGIN SOLUTION
        ...
        ### END SOLUTION

A marked region becomes ``raise NotImplementedError``. Where that can't stand, such as
around a decorator, lines ``### STUB @app.task`` in the region become it; a bare
``### STUB`` leaves nothing.
"""

from __future__ import annotations

import json
from typing import Any

from atleastonce import course
from atleastonce.errors import AtLeastOnceError

BEGIN, END, STUB = "### BEGIN SOLUTION", "### END SOLUTION", "### STUB"
DEFAULT = "raise NotImplementedError"


def of_lab(stem: str) -> dict[str, list[str]]:
    """The stubs of each exercise's answer cells: ``{"ex1": ["%%tasks ..."]}``.

    Raises:
        AtLeastOnceError: the course has no such lab.
    """
    found = json.loads(course.find(stem, "solutions").read_text(encoding="utf-8"))
    return of_cells(found["cells"])


def known(stem: str) -> dict[str, list[str]]:
    """The same; none for a notebook of somebody's own, without a lab."""
    try:
        return of_lab(stem)
    except AtLeastOnceError:
        return {}


def of_cells(cells: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The same for cells at hand; in a lab, answer cells are their own stubs."""
    stubs: dict[str, list[str]] = {}
    for cell in cells:
        meta = cell["metadata"].get("nbgrader", {})
        if meta.get("solution"):
            exercise = meta["grade_id"].partition("-")[0]
            stubs.setdefault(exercise, []).append(clear("".join(cell["source"])))
    return stubs


def clear(source: str) -> str:
    """An answer cell's source, with its marked regions replaced by their stubs."""
    lines: list[str] = []
    region: list[str] | None = None
    for line in source.split("\n"):
        if line.strip() == BEGIN:
            region = [line]
        elif line.strip() == END and region is not None:
            lines += _stub(region)
            region = None
        elif region is not None:
            region.append(line)
        else:
            lines.append(line)
    return "\n".join(lines)


def solved(source: str) -> str:
    """The same with its marks taken out: our answer as a reader wants it."""
    lines = source.split("\n")
    marks = (BEGIN, END, STUB, "# TODO: ")
    return "\n".join(line for line in lines if not line.strip().startswith(marks))


def _stub(region: list[str]) -> list[str]:
    indent = region[0].removesuffix(region[0].lstrip())
    given = [line.strip() for line in region if line.strip().startswith(STUB)]
    texts = [line.removeprefix(STUB).removeprefix(" ") for line in given]
    return [indent + text for text in texts if text] if given else [indent + DEFAULT]
