"""The verb ``grade``: one lab, several, or a folder of submissions."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from atleastonce import course
from atleastonce.errors import GradingError
from atleastonce.grading import folder as folders
from atleastonce.grading import formats, page, progress, terminal
from atleastonce.grading.commentary import offers
from atleastonce.grading.grade import grade as grade_one
from atleastonce.grading.report import FAILED, PASSED, UNGRADED, Report
from atleastonce.grading.run import Limits
from atleastonce.verdict_text import STYLES
from atleastonce.whole import write

if TYPE_CHECKING:
    from collections.abc import Sequence

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)
#: A whole lab may take this many times what one cell may.
CELLS = 10


def grade(
    what: Annotated[
        list[str], typer.Argument(help="01, a lab's path, or a folder of submissions.")
    ],
    *,
    exercise: Annotated[int, typer.Option(min=0, help="Only this exercise.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Write HTML, CSV, JSON, JUnit, Markdown here.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, help="Seconds a cell may take.")
    ] = 30,
    attempted: Annotated[
        bool, typer.Option("--attempted", help="Judge only what was attempted.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Grade answers on the original lab; your file is only read.

    Exit code 0 when all passed, 1 when some failed, 2 when it could not be graded.
    """
    limits = Limits(cell=timeout, seconds=timeout * CELLS)
    reports = [r for name in what for r in _graded(name, exercise, limits, quiet=json)]
    if json:
        sys.stdout.write(_json(reports))
    if out:
        _write(out, reports)
    raise typer.Exit(exit_code(reports, attempted=attempted))


def exit_code(reports: Sequence[Report], *, attempted: bool = False) -> int:
    """The worst of all: 2 when one could not be graded, 1 when a check failed."""
    if any(report.exit_code == UNGRADED for report in reports):
        return UNGRADED
    good = {"pass", "not attempted"} if attempted else {"pass"}
    verdicts = {row.verdict for report in reports for row in report.rows}
    return FAILED if verdicts - good else PASSED


def _graded(
    name: str, exercise: int, limits: Limits, *, quiet: bool
) -> Sequence[Report]:
    path = Path(name)
    if path.is_dir():
        return _graded_folder(path, exercise, limits, quiet=quiet)
    path = path if path.suffix == ".ipynb" else course.find(name, "labs")
    with ERR.status(f"{path.stem} ...") as spinner:

        def on_cell(cell: str) -> None:
            spinner.update(f"{path.stem}: {cell}")

        report = grade_one(path, exercise=exercise, limits=limits, on_cell=on_cell)
    mine = path.resolve().parent == course.folder() / "labs" and not report.error
    if mine:
        progress.graded(report)
    if not quiet:
        terminal.show(report, OUT)
        for line in offers(report) if mine else []:
            OUT.print(line, markup=False)
    return [report]


def _graded_folder(
    path: Path, exercise: int, limits: Limits, *, quiet: bool
) -> Sequence[Report]:
    count = len(folders.submissions(path))
    if not count:
        raise GradingError(
            f"No notebook in {path} or a folder in it.", attempt=f"ls {path}/*/*.ipynb"
        )
    seen: list[str] = []

    def done(report: Report) -> None:
        seen.append(report.who)
        state = "could not be graded" if report.error else _total(report)
        line = f"{len(seen)} of {count}  {report.who}  {report.lab}  {state}"
        ERR.print(line, markup=False)

    reports = folders.grade_folder(path, exercise=exercise, limits=limits, done=done)
    _write(path / ".atleastonce", reports)
    if not quiet:
        OUT.print(_people(reports))
        OUT.print(f"Results: {path}/.atleastonce/report.html", markup=False)
    return reports


def _people(reports: Sequence[Report]) -> Table:
    table = Table("who", "lab", "points", "checks")
    for report in reports:
        signs = " ".join(STYLES[row.verdict][0] for row in report.rows)
        state = signs or "could not be graded"
        table.add_row(report.who, report.lab, _total(report), state)
    return table


def _total(report: Report) -> str:
    return f"{terminal.points(report.points)}/{terminal.points(report.most)}"


def _write(folder: Path, reports: Sequence[Report]) -> None:
    several = len({report.who for report in reports}) > 1
    html = folders.folder_page(reports) if several else page.report_page(reports)
    files = {
        "report.html": html,
        "report.csv": folders.as_csv(reports),
        "report.json": _json(reports),
        "junit.xml": formats.junit(reports),
        "summary.md": formats.summary(reports),
    }
    for name, text in files.items():
        write(folder / name, text)


def _json(reports: Sequence[Report]) -> str:
    found = {
        "reports": [report.as_dict() for report in reports],
        "checks": [asdict(tally) for tally in folders.tallies(reports)],
    }
    return jsonlib.dumps(found, indent=2, ensure_ascii=False) + "\n"
