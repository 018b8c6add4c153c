"""The verbs about notebooks: ``run`` and ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atleastonce import course, marks
from atleastonce.cli.base import Json, app, print_json


@app.command()
def run(
    lesson: Annotated[str, typer.Argument(help="01, a stem, or a notebook's path.")],
    *,
    solution: Annotated[
        bool, typer.Option("--solution", help="Run the lab's solution.")
    ] = False,
    timeout: Annotated[float, typer.Option(help="Seconds that a cell may take.")] = 60,
    store: Annotated[
        bool, typer.Option("--store", help="Keep what it prints (for authors).")
    ] = False,
) -> None:
    """Run a lesson in this terminal, cell by cell, and print what it prints.

    Exit code 0 when every cell ran, 1 when one failed.
    """
    from atleastonce.cli.terminal import run_notebook  # noqa: PLC0415 - slow import

    path = course.find(lesson, "solutions" if solution else "notebooks")
    if not run_notebook(path, timeout=timeout, store=store):
        raise typer.Exit(1)
    if path in course.notebooks("notebooks"):
        marks.lesson_ran(path.stem)


@app.command()
def verify(
    lessons: Annotated[
        list[str] | None, typer.Argument(help="Only these: 01, or a stem.")
    ] = None,
    *,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.")] = None,
    json: Json = False,
) -> None:
    """Run every lesson and solution, and compare all they print with what is stored.

    Exit code 0 when all is equal, 1 when something differs.
    """
    from atleastonce.cli import nbval  # noqa: PLC0415 - only these verbs need it

    results = nbval.verify(nbval.chosen(lessons or []), junit=junit, quiet=json)
    if json:
        print_json([r.as_dict() for r in results])
    else:
        nbval.show(results)
    if not all(r.passed for r in results):
        raise typer.Exit(1)
