"""Schedules of two copies as a picture: each is a path from corner to corner.

A step to the right is one of copy 1, a step up one of copy 2; what lies on the edge
ran one after the other.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from atleastonce.palette import BLUE, INK, PALE, VERMILLION
from atleastonce.picture import painted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from matplotlib.axes import Axes

    from atleastonce.picture import Picture

    class Found(Protocol):
        """What is drawn of a search."""

        @property
        def orders(self) -> Sequence[tuple[Sequence[int], bool]]:
            """Which copy made each step, and whether it broke the claim."""

    Searches = Mapping[str, Found]

#: Okabe and Ito's blue and vermillion; dashes tell what breaks, too.
_FINE, _BROKEN = (BLUE, "-", 2.2), (VERMILLION, (0, (3, 1.5)), 1.3)
_PANEL, _HEIGHT = 2.6, 2.9  # inches
#: How far the first path stands from the last one, in steps.
_SPREAD = 0.34


def draw_paths(searches: Searches) -> Picture:
    """Draw all schedules of each search of two copies, side by side."""
    inches = _PANEL * len(searches), _HEIGHT
    return painted(lambda axes: _paint(axes, searches), inches, _alt(searches))


def _paint(axes: Axes, searches: Searches) -> None:
    axes.set_axis_off()
    for number, (name, found) in enumerate(searches.items()):
        width = 1 / len(searches)
        panel = axes.inset_axes((number * width + 0.02, 0.12, width - 0.05, 0.74))
        _panel(panel, found.orders)
        panel.set_title(f"{name}\n{_count(found)}", fontsize=9, color=INK)


def _panel(axes: Axes, orders: Sequence[tuple[Sequence[int], bool]]) -> None:
    # What breaks goes below: the fine paths are few, and are looked for.
    for number, (order, broken) in enumerate(orders):
        colour, dashes, width = _BROKEN if broken else _FINE
        apart = _SPREAD * (number / max(len(orders) - 1, 1) - 0.5)
        across, up = (
            [0, *accumulate(int(copy == side) for copy in order)] for side in (0, 1)
        )
        axes.plot([x + apart for x in across], [y - apart for y in up], color=colour)
        axes.lines[-1].set(linestyle=dashes, linewidth=width, zorder=3 - broken)
    most = max((len(order) for order, _ in orders), default=1)
    ticks = range(most + 1)
    axes.set(xticks=ticks, yticks=ticks, xticklabels=[], yticklabels=[])
    axes.set_xlabel("steps of copy 1", fontsize=9, color=INK)
    axes.set_ylabel("steps of copy 2", fontsize=9, color=INK)
    axes.tick_params(length=0)
    axes.grid(color=PALE, linewidth=0.8)
    axes.autoscale()
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)


def _count(found: Found) -> str:
    bad = sum(broken for _, broken in found.orders)
    return f"{bad} of {len(found.orders)} break it"


def _alt(searches: Searches) -> str:
    told = "; ".join(f"{name}: {_count(found)}" for name, found in searches.items())
    return (
        "Each schedule of two copies as a path, a step to the right for copy 1, a step "
        f"up for copy 2; those that break the claim are dashed. {told}."
    )
