"""What a crash sweep found. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from atleastonce.explore.outcomes import OK, SEVERITY
from atleastonce.explore.sweep_points import said
from atleastonce.explore.sweep_table import Row, Shown, as_html, as_text

if TYPE_CHECKING:
    from atleastonce.explore.outcomes import World


@dataclass(frozen=True)
class Sweep:
    """One run per point, each with a fault that really happened there.

    Attributes:
        target: the call, such as ``charge_order(1)``.
        fault: what was done, such as ``child killed``.
        rows: one for each point that was struck, in the target's own order.
        expected: the world after an undisturbed run.
        start: the world before it.
        problems: why the sweep can't be believed in full, such as a fault that did not
            strike; empty as a rule.
        lines: the table.
        seconds: how long it took.
    """

    target: str
    fault: str
    rows: tuple[Row, ...]
    expected: World
    start: World
    problems: tuple[str, ...]
    lines: tuple[Shown, ...]
    seconds: float

    @cached_property
    def outcomes(self) -> Counter[str]:
        """How many rows have each outcome."""
        return Counter(row.outcome for row in self.rows)

    @property
    def ok(self) -> bool:
        """True if the work was done once, wherever the fault struck."""
        return self.verdict == "pass"

    @property
    def verdict(self) -> Literal["pass", "fail", "unknown"]:
        """``fail`` needs one bad row, ``pass`` a good one at every point."""
        if set(self.outcomes) - {OK}:
            return "fail"
        return "pass" if self.rows and not self.problems else "unknown"

    def first(self, outcome: str) -> Row | None:
        """The first row with this outcome."""
        return next((row for row in self.rows if row.outcome == outcome), None)

    @property
    def summary(self) -> str:
        """The call, the fault, and the outcomes counted."""
        found = [f"{self.outcomes[o]} {o}" for o in SEVERITY if self.outcomes[o]]
        counts = ", ".join(reversed(found)) or "nothing struck"
        points = (
            "1 point" if len(self.rows) == 1 else f"each of {len(self.rows)} points"
        )
        parts = [f"{self.target}, {self.fault} at {points}: {counts}."]
        parts += [f"Not to be believed: {problem}" for problem in self.problems]
        return "\n".join(parts)

    def __repr__(self) -> str:
        """Summary and table."""
        return f"{self.summary}\n\n{as_text(self.lines)}".rstrip()

    def _repr_html_(self) -> str:
        summary = escape(self.summary).replace("\n", "<br>")
        return f"<p>{summary}</p>{as_html(self.lines)}"

    def to_dict(self) -> dict[str, Any]:
        """For machines; values of worlds that are not JSON become text."""
        rows = [asdict(row) | {"place": said(row.point)} for row in self.rows]
        return {
            "target": self.target,
            "fault": self.fault,
            "verdict": self.verdict,
            "outcomes": dict(self.outcomes),
            "problems": list(self.problems),
            "start": _plain(self.start),
            "expected": _plain(self.expected),
            "rows": rows,
            "seconds": self.seconds,
        }


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a world holds
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, (str, int, float)):
        return value
    return str(value)
