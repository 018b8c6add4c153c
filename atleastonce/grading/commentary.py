"""Our answer to an exercise, what it does otherwise and costs: for who has passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from atleastonce import course
from atleastonce.errors import GradingError
from atleastonce.grading import notebook as nb
from atleastonce.grading.progress import passed
from atleastonce.stubs import solved

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.grading.notebook import Notebook
    from atleastonce.grading.report import Report

OUT = Console(highlight=False)


def offers(report: Report) -> list[str]:
    """For each exercise whose graded checks all passed, one line that offers it."""
    missed = {row.exercise for row in report.rows if row.verdict != "pass"}
    done = sorted({row.exercise for row in report.rows} - missed)
    verb = f"atleastonce commentary {report.lab[:2]}"
    return [f"Exercise {k}: our answer, and what it costs: {verb} {k}" for k in done]


def commentary(
    lab: Annotated[str, typer.Argument(help="01, a stem, or a lab's path.")],
    exercise: Annotated[int, typer.Argument(min=1, help="The exercise's number.")],
    *,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Show it before you have passed.")
    ] = False,
) -> None:
    """Show our answer to an exercise that you have passed, and what it costs.

    Exit code 0 when it was shown, 2 when you have not passed yet.
    """
    path = course.find(lab, "solutions")
    solution = nb.read(path)
    code, said = _texts(solution, path, exercise)
    if not anyway and exercise not in passed(path.stem, solution):
        raise GradingError(
            f"Exercise {exercise} of {path.stem} has not passed yet, "
            "and its commentary gives the answer away.",
            attempt=f"atleastonce grade {path.stem[:2]} --exercise {exercise}",
        )
    # Unwrapped, so that it can be copied.
    OUT.print(code, markup=False, soft_wrap=True)
    OUT.print()
    OUT.print(Markdown(said))


def _texts(solution: Notebook, path: Path, exercise: int) -> tuple[str, str]:
    """Our answer to an exercise, and the commentary on it."""
    mine = [c for c in solution["cells"] if nb.exercise_of(nb.cell_id(c)) == exercise]
    said = [cell["source"] for cell in mine if nb.is_commentary(cell)]
    if not said:
        raise GradingError(
            f"There is no commentary on exercise {exercise} in {path.stem}.",
            attempt=f"atleastonce commentary {path.stem[:2]} 1",
        )
    code = [solved(cell["source"]) for cell in mine if nb.is_answer(cell)]
    return "\n\n\n".join(code), "\n\n".join(said)
