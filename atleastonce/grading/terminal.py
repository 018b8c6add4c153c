"""Reports for a terminal: a table, then each failure with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from atleastonce.verdict_text import STYLES, as_text

if TYPE_CHECKING:
    from rich.console import Console

    from atleastonce.grading.report import Report, Row

#: Told apart by sign and word too, not by colour alone.
COLOURS = {
    "pass": "green",
    "fail": "red",
    "not attempted": "bright_black",
    "not reached": "yellow",
    "no service": "cyan",
}


def show(report: Report, console: Console) -> None:
    """Print one report."""
    if report.error:
        console.print(f"{report.lab}: could not be graded", style="bold red")
        console.print(report.error, markup=False)
    if report.rows:
        console.print(_table(report))
    told: set[str] = set()
    for row in report.rows:
        text = details(row)
        # One broken cell fails all checks of its exercise: it is told once.
        if row.verdict not in {"pass", "not attempted"} and text not in {"", *told}:
            console.print(_panel(row, text))
            told.add(text)
    for note in report.notes:
        console.print(f"note: {note}", style="dim", markup=False)


def points(value: float) -> str:
    """Points without a useless ``.0``."""
    return f"{value:g}"


def _table(report: Report) -> Table:
    total = f"{points(report.points)} of {points(report.most)} points"
    total += ", core exercises done" if report.core_done and report.exit_code else ""
    who = f"{report.who}, " if report.who else ""
    table = Table(
        title=f"{who}{report.lab}: {total}", title_justify="left", title_style="bold"
    )
    table.add_column("claim", overflow="fold", ratio=1)
    table.add_column("verdict", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    exercise = 0
    for row in report.rows:
        if exercise not in {0, row.exercise}:
            table.add_section()
        exercise = row.exercise
        claim = Text(f"{row.exercise}  {row.claim}")
        sign = STYLES[row.verdict][0]
        verdict = Text(f"{sign} {row.verdict}", style=COLOURS[row.verdict])
        table.add_row(claim, verdict, f"{points(row.points)}/{points(row.most)}")
    return table


def details(row: Row) -> str:
    """What a learner reads about one check: reason, line, evidence, hint."""
    parts = [row.why] if row.why else []
    if row.line:
        parts.append(f"Line {row.line} of {row.cell}:  {row.source}")
    if row.evidence:
        told = {"value": row.verdict, "check": row.check, "claim": row.claim}
        text = as_text({**told, "why": "", "evidence": row.evidence})
        parts.append(text.partition("\n")[2])
    if row.hint:
        parts.append(f"Hint: {row.hint}")
    return "\n".join(parts)


def _panel(row: Row, text: str) -> Panel:
    colour = COLOURS[row.verdict]
    title = Text(f"{row.verdict}: {row.claim}", style=f"bold {colour}")
    return Panel(
        Text(text),
        title=title,
        title_align="left",
        subtitle=row.check,
        subtitle_align="right",
        border_style=colour,
    )
