"""A schedule side by side: one column per copy, time running down. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atleastonce.explore.steps import Place, Schedule, Step

#: The text of line *line* of *file*.
Source = Callable[[str, int], str]
#: Characters of a terminal, and blanks between two of its columns.
WIDTH, GAP = 80, 3
_TABLE = re.compile(r'\b(?:FROM|INTO|UPDATE)\s+"?(\w+)"?', re.IGNORECASE)
#: No colour of letters: none has enough contrast on a light and on a dark ground.
_STYLES = {
    "source": "font-weight:600",
    "boundary": "padding-left:2.5em",
    "lock": "padding-left:2.5em;font-style:italic",
    "error": "padding-left:2.5em;font-weight:600",
}


@dataclass(frozen=True)
class Row:
    """One line of the picture: in the column of *copy*, a text of some kind."""

    copy: int
    kind: str  # source, boundary, lock, error
    text: str


def rows(schedule: Schedule, source: Source) -> list[Row]:
    """What each copy did, in order; a boundary stands under its line."""
    return list(_rows(schedule, source))


def _rows(schedule: Schedule, source: Source) -> Iterator[Row]:
    shown: tuple[int, str, int] | None = None
    waiting: set[int] = set()
    told: set[int] = set()
    for k, step in enumerate(schedule.steps):
        place = step.place
        here = (step.copy, place.file, place.line)
        if place.line and here != shown:
            text = source(place.file, place.line).strip()
            yield Row(step.copy, "source", f"{place.line:3} {text}")
        if place.kind != "line":
            yield Row(step.copy, "boundary", f"      {brief(place)}")
        shown = here
        if step.copy in step.waiting:
            what = "an answer" if place.kind == "redis" else "a lock"
            yield Row(step.copy, "lock", f"      waits for {what}")
        for copy in sorted(waiting - set(step.waiting)):
            yield Row(copy, "lock", "      goes on")
        waiting = set(step.waiting)
        yield from _ended(schedule, k, step, told)


def _ended(schedule: Schedule, k: int, step: Step, told: set[int]) -> Iterator[Row]:
    """The errors of copies whose last step this was."""
    later = {other.copy for other in schedule.steps[k + 1 :]} | set(step.waiting)
    for copy, error in enumerate(schedule.errors):
        if error and copy not in later | told:
            told.add(copy)
            yield Row(copy, "error", f"      !! {error}")


def brief(place: Place) -> str:
    """A boundary in a few words: the statement's verb and its table."""
    found = _TABLE.search(place.text) if place.kind == "sql" else None
    if found:
        return f"{place.name.upper()} {found.group(1)}"
    return place.text or place.name


def as_text(heads: Sequence[str], lines: Sequence[Row]) -> str:
    """Two columns of equal width on 80 characters; more copies stand in one."""
    if len(heads) > 2:  # noqa: PLR2004 - of 24 characters, not much would be left
        return _stacked(heads, lines)
    longest = max((len(row.text) for row in lines), default=0)
    width = min((WIDTH - GAP) // 2, max(longest, *map(len, heads)))
    head = (" " * GAP).join(f"{_cut(text, width):<{width}}" for text in heads)
    body = [" " * row.copy * (width + GAP) + _cut(row.text, width) for row in lines]
    return "\n".join(line.rstrip() for line in [head, *body])


def _stacked(heads: Sequence[str], lines: Sequence[Row]) -> str:
    """Each line behind its copy's number."""
    body = [f"{row.copy + 1} |{row.text}" for row in lines]
    return "\n".join(_cut(line, WIDTH) for line in [*heads, *body])


def as_html(heads: Sequence[str], lines: Sequence[Row]) -> str:
    """The same as a table, styled in place."""
    head = "".join(f"<th style='text-align:left'>{escape(text)}</th>" for text in heads)
    body = "".join(_tr(row, len(heads)) for row in lines)
    style = "font-family:monospace;text-align:left;overflow-wrap:break-word"
    # Equal columns, which wrap: in a narrow cell too, both copies are in sight.
    style += ";table-layout:fixed;width:100%"
    return f"<table style='{style}'><tr>{head}</tr>{body}</table>"


def _tr(row: Row, count: int) -> str:
    style = f"text-align:left;{_STYLES[row.kind]}"
    cells = [
        f"<td style='{style}'>{escape(row.text.strip())}</td>"
        if copy == row.copy
        else "<td></td>"
        for copy in range(count)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
