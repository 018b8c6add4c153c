"""The verbs about labs, and ``status``, for the command line."""

from __future__ import annotations

import json as jsonlib
import sys
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from atleastonce import course
from atleastonce import marks as kept
from atleastonce.errors import AtLeastOnceError
from atleastonce.grading import halfday
from atleastonce.grading import notebook as nb
from atleastonce.grading.commentary import commentary
from atleastonce.grading.grade_verb import grade
from atleastonce.grading.labs import write_labs
from atleastonce.grading.progress import passed
from atleastonce.grading.report import FAILED
from atleastonce.grading.reset import reset as reset_lab
from atleastonce.grading.terminal import points

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)

Route = Literal["half-day"]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")]


def register(app: typer.Typer) -> None:
    """Add the five verbs to *app*."""
    for verb in (labs, grade, commentary, reset, status):
        app.command()(verb)


def labs(
    *,
    check: Annotated[bool, typer.Option("--check", help="Write nothing.")] = False,
    json: Json = False,
) -> None:
    """Make labs/ from solutions/; a lab with answers in it is never touched.

    Exit code 0 when every lab is in step, 1 when one is not (--check, or yours).
    """
    states = write_labs(check=check)
    if json:
        _print_json(states)
    else:
        for stem, state in states.items():
            OUT.print(f"{stem}: {state}")
    if "yours" in states.values():
        ERR.print("Labs with answers stay as they are. Try: atleastonce reset 01")
    if {"stale", "yours"} & set(states.values()):
        raise typer.Exit(FAILED)


def reset(
    lab: Annotated[str, typer.Argument(help="01, a stem, or a lab's path.")],
    exercise: Annotated[int, typer.Argument(help="Only this exercise.")] = 0,
) -> None:
    """Give back the original answer cells; your text stays below them, as raw text."""
    path = course.find(lab, "labs")
    done = reset_lab(path, path.stem, exercise)
    OUT.print(f"Reset: {', '.join(done)}." if done else "Nothing to reset.")
    if done:
        OUT.print("In JupyterLab: File, Reload Notebook from Disk.")


def status(
    *,
    path: Annotated[
        Route | None, typer.Option(help="Only this path: half-day, of 240 minutes.")
    ] = None,
    json: Json = False,
) -> None:
    """Show how far you are: lessons run, points of the last grading, what is next."""
    rows = halfday.rows() if path else units()
    if json:
        _print_json(rows)
    else:
        OUT.print(_steps(rows) if path else _units(rows))
        if path:
            OUT.print("Notes, numbers and what cells are meant: docs/workshop.md")


def _units(rows: list[dict[str, Any]]) -> Table:
    table = Table("unit", "lesson", "lab", "next")
    for row in rows:
        table.add_row(row["unit"], row["lesson"], row["lab"], row["next"])
    return table


def _steps(rows: list[dict[str, Any]]) -> Table:
    table = Table("from", "min", "what", "state", "if you are behind")
    for row in rows:
        what = "\n".join(
            text for text in (row["title"], row["place"], row["part"]) if text
        )
        start = halfday.clock(row["start"])
        table.add_row(start, str(row["minutes"]), what, row["state"], row["catch_up"])
    return table


def units() -> list[dict[str, Any]]:
    """Each unit that the course has, with what was done of it."""
    marks = kept.load()
    kinds: tuple[course.Kind, ...] = ("notebooks", "solutions")
    stems = sorted({path.stem for kind in kinds for path in course.notebooks(kind)})
    return [_unit(stem, marks) for stem in stems]


def _unit(stem: str, marks: dict[str, Any]) -> dict[str, Any]:
    ran = bool(marks["lessons"].get(stem))
    solution = _solution(stem)
    most = _most(solution)
    checks = marks["labs"].get(stem, {}).get("checks", {})
    got = sum(check["points"] for check in checks.values())
    core = _core(solution)
    done = bool(core) and core <= passed(stem, solution)
    lab = f"{points(got)}/{points(most)}" if checks else "not graded"
    return {
        "unit": stem,
        "lesson": "run" if ran else "not run",
        "lab": lab if most else "none",
        "points": got,
        "most": most,
        "core": done,
        "next": _next(stem, ran=ran, core=done, solved=got >= most),
    }


def _next(stem: str, *, ran: bool, core: bool, solved: bool) -> str:
    if core and not solved:
        return "core done; the stretch is left"
    if not ran and not solved:
        return f"notebooks/{stem}.ipynb, or atleastonce run {stem[:2]}"
    if not solved:
        return f"labs/{stem}.ipynb, then atleastonce grade {stem[:2]}"
    return "done"


def _solution(stem: str) -> nb.Notebook:
    """A unit's solution; one without cells where the unit has no lab."""
    try:
        return nb.read(course.find(stem, "solutions"))
    except AtLeastOnceError:
        return {"cells": []}


def _core(solution: nb.Notebook) -> set[int]:
    """The core exercises of a lab."""
    checks = [nb.cell_id(cell) for cell in solution["cells"] if nb.is_check(cell)]
    exercises = {nb.exercise_of(name) for name in checks}
    return {ex for ex in exercises if nb.kind_of(solution, ex) == "core"}


def _most(solution: nb.Notebook) -> float:
    """All points that a lab gives."""
    checks = [cell for cell in solution["cells"] if nb.is_check(cell)]
    return sum(float(nb.nbgrader(cell).get("points", 0)) for cell in checks)


def _print_json(value: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
    sys.stdout.write(jsonlib.dumps(value, indent=2, ensure_ascii=False) + "\n")
