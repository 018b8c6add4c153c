"""Names of a lab's notebook that an answer leaves alone, for its judge uses them.

A ``%%tasks`` cell gives its public names to the notebook. But a learner's helper may be
called ``check``, and who writes ``import datetime`` does not mean the judge's class.
"""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Any

from atleastonce import answers, course
from atleastonce.errors import AtLeastOnceError

if TYPE_CHECKING:
    from collections.abc import Iterator


def of_answer(stem: str, module: str) -> set[str]:
    """What the cells before the answer *module* have defined; nothing for other cells.

    Args:
        stem: of the notebook; one that is no lab reserves nothing.
        module: the name of a ``%%tasks`` cell.
    """
    try:
        found = course.find(stem, "solutions").read_text(encoding="utf-8")
    except AtLeastOnceError:
        return set()
    return before(json.loads(found)["cells"], module)


def before(cells: list[dict[str, Any]], module: str) -> set[str]:
    """The same for cells at hand."""
    names = set[str]()
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        source, meta = "".join(cell["source"]), cell["metadata"]
        found = set(_names(source))
        if meta.get("nbgrader", {}).get("solution"):
            if module in found:
                return names - {module}
        elif "ungraded" not in meta.get("tags", []):
            names |= found
    return set()


def _names(source: str) -> Iterator[str]:
    """The name of a ``%%tasks`` cell; of another one, what it defines at its top."""
    if title := answers.module(source):
        yield title
        return
    for statement in ast.parse(source).body:
        yield from _bound(statement)


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in statement.names)
    else:
        names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
        yield from (name.id for name in names if isinstance(name.ctx, ast.Store))
