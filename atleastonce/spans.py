"""Spans of time as a picture: who waited, from when until when, and a deadline.

Measured seconds, unlike the timeline's picture: a cell that shows one is not compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce.palette import BLUE, INK, VERMILLION
from atleastonce.picture import painted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from atleastonce.picture import Picture

_WIDTH, _ROW, _EDGE = 7.0, 0.28, 0.8  # inches


def draw_spans(spans: Mapping[str, float], deadline: float, late: float) -> Picture:
    """One bar a row, as long as its seconds; a line at *deadline*.

    Args:
        spans: seconds, by what took them.
        deadline: seconds; drawn as a line.
        late: seconds from which a bar counts as late, and is hatched.
    """
    inches, alt = (_WIDTH, _EDGE + _ROW * len(spans)), _alt(spans, deadline)
    return painted(lambda axes: _fill(axes, spans, deadline, late), inches, alt)


def _fill(axes: Axes, spans: Mapping[str, float], deadline: float, late: float) -> None:
    for row, (name, seconds) in enumerate(spans.items()):
        over = seconds > late
        colour, hatch = (VERMILLION, "///") if over else (BLUE, "")
        bar = axes.barh(row, seconds, height=0.6, color=colour, edgecolor="white")
        bar.patches[0].set_hatch(hatch)
        beside, text = max(seconds, deadline), f" {seconds:.1f} s  {name}"
        axes.text(beside, row, text, va="center", color=INK)
    axes.axvline(deadline, color=INK, linewidth=1, linestyle="--")
    axes.set_xlim(0, max([*spans.values(), deadline]) * 1.7)
    axes.set_yticks([])
    axes.invert_yaxis()
    axes.set_xlabel("seconds that the server saw the connection open")
    axes.spines[["top", "right", "left"]].set_visible(False)


def _alt(spans: Mapping[str, float], deadline: float) -> str:
    told = ", ".join(f"{name}: {seconds:.1f} s" for name, seconds in spans.items())
    return f"Bars beside a deadline of {deadline:g} s. {told}."
