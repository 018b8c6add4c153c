"""The verb about the machine: ``doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from atleastonce.cli.base import Json, app, out, print_json

if TYPE_CHECKING:
    from atleastonce.doctor import Finding

STYLES = {"ok": "green", "low": "yellow", "missing": "yellow"}


@app.command()
def doctor(*, json: Json = False) -> None:
    """Look the machine over: what is here, what is missing, how to get it.

    Exit code 1 only when lessons can't run.
    """
    from atleastonce.doctor import examine  # noqa: PLC0415 - only this verb needs it

    findings = examine()
    blocked = any(f.blocks for f in findings)
    if json:
        rows = [f.as_dict() for f in findings]
        print_json({"lessons_can_run": not blocked, "findings": rows})
    else:
        _show(findings)
    if blocked:
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    for row in findings:
        style = "bold red" if row.blocks else STYLES[row.state]
        table.add_row(row.name, Text(row.state, style=style), row.found)
        if row.attempt:
            # "Try" is for what stands in the way; nobody has to want the rest.
            optional = row.state == "missing" and not row.required
            word = "To have it" if optional else "Try"
            table.add_row("", "", Text(f"{word}: {row.attempt}", style="bold"))
    out.print(table)
    if any(row.blocks for row in findings):
        out.print(Text("Lessons can't run yet.", style="bold red"))
    else:
        out.print("Lessons can run.")
