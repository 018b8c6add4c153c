"""A sweep as a picture: the source, line by line, and what a fault there led to. Pure.

A boundary stands under the line that caused it; its moments share a line as long as
they led to the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

from atleastonce.explore.columns import brief
from atleastonce.explore.outcomes import DUPLICATE, LOST, OK, STUCK, WRONG
from atleastonce.explore.steps import Place
from atleastonce.workers.plan import RETURNED, STORED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from atleastonce.explore.columns import Source
    from atleastonce.workers.points import Point

#: Characters of a source line that are shown.
WIDEST = 56
_ENDS = {
    RETURNED: "returned, result not stored",
    STORED: "result stored, message not acknowledged",
}
#: Okabe and Ito's colours, which colour-blind readers tell apart, some darker. As
#: a bar each has a contrast of 3 on a light and on a dark ground; no letters in one
#: colour can have the 4.5 that they need on both, so words have the theme's.
_COLOURS = {
    OK: "#009e73",
    DUPLICATE: "#d55e00",
    STUCK: "#c46f9f",
    LOST: "#0072b2",
    WRONG: "#b87f00",
}


@dataclass(frozen=True)
class Row:
    """What one fault at one point led to.

    Attributes:
        point: where it struck.
        outcome: ``ok``, ``duplicate``, ``stuck``, ``lost`` or ``wrong``.
        evidence: the differences to the undisturbed world; "" for ``ok``.
        strikes: how often the fault struck; more than 1 on several attempts.
        attempts: how many attempts were begun.
    """

    point: Point
    outcome: str
    evidence: str
    strikes: int = 1
    attempts: int = 1


@dataclass(frozen=True)
class Shown:
    """One line of the picture.

    Attributes:
        kind: ``source``, ``boundary`` or ``end``.
        number: of the source line; 0 for none.
        text: the source line, or what happened below it.
        moments: ``before``, ``done``, ``after`` of a boundary.
        outcome, evidence: as in Row; "" on a line that only says where we are.
    """

    kind: str
    number: int
    text: str
    moments: tuple[str, ...] = ()
    outcome: str = ""
    evidence: str = ""

    @property
    def label(self) -> str:
        """The text, with its moments."""
        text = _cut(self.text)
        return f"{text}: {', '.join(self.moments)}" if self.moments else text


def picture(rows: Sequence[Row], source: Source) -> list[Shown]:
    """The lines of the picture, in the order in which the target met the points."""
    return list(_folded(_lines(rows, source)))


def _lines(rows: Sequence[Row], source: Source) -> Iterator[Shown]:
    here: tuple[str, int] | None = None
    first: dict[tuple[str, str, int, int], int] = {}
    for row in rows:
        point = row.point
        if point.kind in _ENDS:
            yield Shown("end", 0, _ENDS[point.kind], (), row.outcome, row.evidence)
            continue
        text = source(point.file, point.line).rstrip()
        if point.kind == "line":
            text += _leaving(point, text, first)
            yield Shown("source", point.line, text, (), row.outcome, row.evidence)
        else:
            if here != (point.file, point.line):
                yield Shown("source", point.line, text)
            yield _boundary(row)
        here = point.file, point.line


def _boundary(row: Row) -> Shown:
    point = row.point
    name = brief(Place(point.kind, point.name, point.text))
    name += "" if point.main else " (in a thread)"
    return Shown("boundary", 0, name, (point.moment,), row.outcome, row.evidence)


def _leaving(
    point: Point, text: str, first: dict[tuple[str, str, int, int], int]
) -> str:
    """A ``with`` line comes a second time when its block is left (Python 3.10)."""
    key = (point.file, point.function, point.depth, point.line)
    begun = first.setdefault(key, point.instruction)
    block = text.lstrip().startswith(("with ", "async with "))
    return "  # leaving it" if block and point.instruction > begun else ""


def _folded(lines: Iterable[Shown]) -> Iterator[Shown]:
    """Moments of one boundary that led to the same share a line."""
    last: Shown | None = None
    for line in lines:
        if last and line.moments and replace(line, moments=last.moments) == last:
            last = replace(last, moments=last.moments + line.moments)
            continue
        if last:
            yield last
        last = line
    if last:
        yield last


def as_text(lines: Sequence[Shown]) -> str:
    """One line each, outcomes in a column."""
    left = [_left(line) for line in lines]
    width = max(map(len, left), default=0)
    out = max((len(line.outcome) for line in lines), default=0)
    return "\n".join(
        f"{text:<{width}}  {line.outcome:<{out}}  {line.evidence}".rstrip()
        for text, line in zip(left, lines, strict=True)
    )


def _left(line: Shown) -> str:
    if line.kind == "source":
        return f"{line.number:>4}  {line.label}"
    return "      " + ("" if line.kind == "end" else "      ") + line.label


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def as_html(lines: Sequence[Shown]) -> str:
    """The same as a table, styled in place."""
    head = "".join(
        f"<th style='text-align:left'>{t}</th>" for t in ("", "", "outcome", "evidence")
    )
    body = "".join(map(_tr, lines))
    style = "font-family:monospace;text-align:left"
    return f"<table style='{style}'><tr>{head}</tr>{body}</table>"


def _tr(line: Shown) -> str:
    code = "white-space:pre;text-align:left"
    if line.kind == "boundary":
        code += ";padding-left:2.5em"
    outcome = "text-align:left"
    if line.outcome:
        outcome += f";border-left:6px solid {_COLOURS[line.outcome]}"
    outcome += "" if line.outcome in ("", OK) else ";font-weight:600"
    cells = [
        ("text-align:right", str(line.number or "")),
        (code, line.label),
        (outcome, line.outcome),
        ("text-align:left", line.evidence),
    ]
    inner = "".join(f"<td style='{s}'>{escape(text)}</td>" for s, text in cells)
    return f"<tr>{inner}</tr>"
