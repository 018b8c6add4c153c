"""Readings as a picture: one line for each run, labelled where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce.palette import BLUE, GREEN, INK, ORANGE, PALE, PURPLE, VERMILLION
from atleastonce.picture import painted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from atleastonce.picture import Picture

_INCHES = 8.0, 4.2
#: Okabe and Ito's colours, markers and dashes: each alone tells the lines apart.
_LOOKS = (
    (VERMILLION, "o", "-"),
    (BLUE, "s", (0, (5, 2))),
    (GREEN, "^", (0, (1, 1.5))),
    (PURPLE, "D", (0, (6, 2, 1, 2))),
    (ORANGE, "v", "-"),
)
#: The least distance between two labels, as a share of the axis.
_APART = 0.075


def curves(runs: Mapping[str, Sequence[float]], *, x: str, y: str) -> Picture:
    """Draw the readings of *runs*, at 144 dpi.

    Args:
        runs: what was read, first to last, by the name of the run; at most five.
        x: what lies between two readings, such as ``tasks``.
        y: what was read, with its unit.
    """
    alt = _alt(runs, x, y)
    return painted(lambda axes: _paint(axes, runs, x, y), _INCHES, alt)


def _paint(axes: Axes, runs: Mapping[str, Sequence[float]], x: str, y: str) -> None:
    for (colour, marker, dashes), readings in zip(_LOOKS, runs.values(), strict=False):
        axes.plot(range(len(readings)), readings, color=colour, marker=marker)
        axes.lines[-1].set(linestyle=dashes, markersize=6, linewidth=2)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.set_ylim(min(0.0, *map(min, runs.values())), None)
    axes.grid(axis="y", color=PALE)
    axes.spines[["top", "right"]].set_visible(False)
    _label(axes, runs)


def _label(axes: Axes, runs: Mapping[str, Sequence[float]]) -> None:
    """Write each name beside the end of its line, lower names below higher ones."""
    low, high = axes.get_ylim()
    place = low - (high - low) * _APART
    order = sorted(zip(runs.items(), _LOOKS, strict=False), key=lambda r: r[0][1][-1])
    for (name, readings), (colour, _, _) in order:
        place = max(readings[-1], place + (high - low) * _APART)
        end = (len(readings) - 1, place)
        axes.annotate(
            name,
            end,
            (10, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontweight="bold",
            annotation_clip=False,
        )


def _alt(runs: Mapping[str, Sequence[float]], x: str, y: str) -> str:
    told = [
        f"{name}: from {r[0]:.0f} to {r[-1]:.0f}, at most {max(r):.0f}"
        for name, r in runs.items()
    ]
    return f"{y} by {x}. {'; '.join(told)}."
