"""The world: the counts that an outcome is judged by, and tables of them. Pure."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class World(dict[str, object]):
    """What was counted, by name, such as ``{"charges": 2, "orders paid": 1}``."""

    def __repr__(self) -> str:
        """One count per line, aligned."""
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in self.items())


class Table:
    """Worlds side by side: a row per run, a column per count."""

    def __init__(self, head: list[str], rows: list[list[str]]) -> None:
        self.head, self.rows = head, rows

    def __repr__(self) -> str:
        """The table as text; numbers to the right."""
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(_line(line, widths) for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th style='{_align(i)}'>{escape(t)}</th>" for i, t in enumerate(self.head)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f"<td style='{_align(i)}'>{escape(t)}</td>" for i, t in enumerate(row)
            )
            + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def table(runs: Mapping[str, World], *, columns: Sequence[str] = ()) -> Table:
    """The worlds of *runs* as a table; *columns* are the counts to show, or all."""
    names = list(columns) or list(next(iter(runs.values()), {}))
    rows = [
        [run, *(str(world.get(n, "")) for n in names)] for run, world in runs.items()
    ]
    return Table(["", *names], rows)


def _line(cells: list[str], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "  ".join(
        [f"{first[0]:<{first[1]}}", *(f"{c:>{w}}" for c, w in rest)]
    ).rstrip()


def _align(column: int) -> str:
    return f"text-align:{'right' if column else 'left'};padding:2px 8px"
