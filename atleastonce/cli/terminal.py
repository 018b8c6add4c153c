"""A lesson in the terminal: each cell's code runs in a kernel, its text is printed."""

from __future__ import annotations

import time
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from rich.text import Text
from traitlets.config import Config

from atleastonce import needs
from atleastonce.cli.base import err, out
from atleastonce.grading import notebook
from atleastonce.whole import write

if TYPE_CHECKING:
    from pathlib import Path

    from nbformat import NotebookNode


def run_notebook(path: Path, *, timeout: float, store: bool = False) -> bool:
    """Run *path* in its own folder, and say whether every cell ran.

    Args:
        path: the notebook; it is only read, unless *store*.
        timeout: seconds that one cell may take.
        store: replace its outputs by what it printed now, if every cell ran.

    Raises:
        GradingError: it can't be read as a notebook.
        NoService: a cell needs what is missing, and ATLEASTONCE_REQUIRE names it.
    """
    book = nbformat.from_dict(notebook.read(path))
    # Without encryption the kernel prints a warning.
    config = Config({"KernelManager": {"transport_encryption": "auto"}})
    client = NotebookClient(book, timeout=timeout, kernel_name="python3", config=config)
    code = [c for c in book.cells if c.cell_type == "code" and c.source.strip()]
    started = time.monotonic()
    # What cells print comes as messages; the rest is a dying kernel's own traceback.
    quiet = {"stdout": DEVNULL, "stderr": DEVNULL}
    with client.setup_kernel(cwd=str(path.parent), **quiet):
        for index, cell in enumerate(book.cells):
            if cell.cell_type == "markdown":
                _print_headings(cell.source)
            elif cell in code and not _run_cell(client, cell, index, code):
                return False
    out.print(f"{path.stem}: {len(code)} cells in {time.monotonic() - started:.1f} s")
    if store:
        for cell in code:
            cell.metadata.pop("execution", None)
        write(path, notebook.dumps(book))
    return True


def _run_cell(
    client: NotebookClient, cell: NotebookNode, index: int, code: list[NotebookNode]
) -> bool:
    place = f"cell {code.index(cell) + 1} of {len(code)}"
    if reason := needs.reason(cell.metadata):
        out.print(Text(f"{place} skipped: {reason}", style="yellow"))
        return True
    first = cell.source.strip().splitlines()[0]
    started = time.monotonic()
    try:
        with err.status(Text(f"{place}: {first}")):
            client.execute_cell(cell, index)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        failure: Exception | None = error
    else:
        failure = None
    took = time.monotonic() - started
    out.print(Text(f"[{place}, {took:.1f} s] {first}", style="dim"), soft_wrap=True)
    for output in cell.outputs:
        _print_output(output)
    if failure and not isinstance(failure, CellExecutionError):
        err.print(Text(str(failure), style="red"))
    return failure is None


def _print_headings(source: str) -> None:
    for line in source.splitlines():
        if line.startswith("#"):
            out.print(Text("\n" + line.lstrip("# "), style="bold"))


def _print_output(output: NotebookNode) -> None:
    text = _text(output)
    if text.strip():
        out.print(Text.from_ansi(text), soft_wrap=True)


def _text(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return "\n".join(output.traceback)
    data: dict[str, Any] = output.data
    if any(kind.startswith("image/") for kind in data):
        return "(a picture, in the notebook)"
    return str(data.get("text/plain", ""))
