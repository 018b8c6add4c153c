"""Reports as one self-contained HTML page: no script, no request, light and dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from atleastonce.grading.terminal import points
from atleastonce.verdict_text import STYLES, as_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atleastonce.grading.report import Report, Row

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .35rem .75rem .35rem 0; vertical-align: top; }}
th {{ border-bottom: 2px solid; }}
tr + tr td {{ border-top: 1px solid rgba(128, 128, 128, .35); }}
td.number, th.number {{ text-align: right; white-space: nowrap; }}
td.verdict {{ white-space: nowrap; font-weight: bold; }}
pre, code {{ font: 13px/1.45 ui-monospace, monospace; }}
pre {{ overflow-x: auto; white-space: pre-wrap; }}
section {{ margin: 1.5rem 0; }}
section table table, section div table {{ width: auto; }}
.note {{ opacity: .75; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(title: str, body: str) -> str:
    """A whole page around *body*, which is HTML."""
    return _PAGE.format(title=escape(title), body=body)


def report_page(reports: Sequence[Report]) -> str:
    """The page of one or more reports."""
    title = "At Least Once: grading"
    return page(title, "\n".join(section(report) for report in reports))


def section(report: Report) -> str:
    """One report: its table, then what failed and why."""
    who = f"{report.who}: " if report.who else ""
    total = f"{points(report.points)} of {points(report.most)} points"
    head = f"<h2>{escape(who + report.lab)}, {total}</h2>"
    error = f"<pre>{escape(report.error)}</pre>" if report.error else ""
    rows = "".join(_row(row) for row in report.rows)
    names = "<th>claim</th><th>verdict</th><th class='number'>points</th>"
    table = f"<table><tr>{names}</tr>{rows}</table>" if rows else ""
    failed = [r for r in report.rows if r.verdict not in {"pass", "not attempted"}]
    more = "".join(_details(row) for row in failed)
    notes = "".join(f"<p class='note'>{escape(note)}</p>" for note in report.notes)
    return f"<section>{head}{error}{table}{more}{notes}</section>"


def _row(row: Row) -> str:
    sign, colour = STYLES[row.verdict]
    bar = f"border-left: 4px solid {colour}"
    return (
        f"<tr><td>{row.exercise}&ensp;{escape(row.claim)}</td>"
        f'<td class="verdict" style="{bar}">{sign} {row.verdict}</td>'
        f'<td class="number">{points(row.points)}/{points(row.most)}</td></tr>'
    )


def _details(row: Row) -> str:
    told = {"value": row.verdict, "check": row.check, "claim": row.claim}
    # The learner's kernel wrote the evidence: its HTML is not ours to trust.
    evidence = [{**item, "html": ""} for item in row.evidence]
    block = as_html({**told, "why": row.why, "evidence": evidence})
    line = f"Line {row.line} of {row.cell}:  {row.source}"
    where = f"<pre>{escape(line)}</pre>" if row.line else ""
    hint = f"<p>Hint: {escape(row.hint)}</p>" if row.hint else ""
    return f"<div style='margin: 1rem 0'>{block}{where}{hint}</div>"
