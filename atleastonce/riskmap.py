"""The ten risks as a picture: boxes, and arrows to what each of them brings. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atleastonce.palette import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION
from atleastonce.picture import painted
from atleastonce.risks import (
    DONE,
    ENDS,
    LEADS,
    NOTICED,
    ONCE,
    RIGHT,
    RISKS,
    SMALL,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from atleastonce.picture import Picture
    from atleastonce.risks import Risk

_GROUND = "#f4f4f4"
_FONT: dict[str, Any] = {"size": 10, "color": INK, "va": "center", "linespacing": 1.15}
#: The colour (Okabe and Ito 2008) and the hatch of each promise: either tells it.
_LOOKS = {
    ONCE: (BLUE, ""),
    DONE: (VERMILLION, "////"),
    ENDS: (GREEN, "...."),
    RIGHT: (PURPLE, "xxxx"),
    SMALL: (ORANGE, "----"),
    NOTICED: (SKY, "||||"),
}

# Inches: a box, the gaps between boxes, the margin; the strip that has the hatch.
_BOX, _GAP, _EDGE, _STRIP = (2.95, 1.05), (1.3, 0.72), 0.05, 0.2
_COLUMNS, _ROWS = 3, 4
_SIZE = (
    _COLUMNS * _BOX[0] + (_COLUMNS - 1) * _GAP[0] + 2 * _EDGE,
    _ROWS * _BOX[1] + (_ROWS - 1) * _GAP[1] + 2 * _EDGE,
)
#: The upper left corner of the legend: the one place without a box.
_LEGEND = (_EDGE, _BOX[1] + _GAP[1] + _EDGE)


def draw_risks() -> Picture:
    """The ten risks, at 144 dpi, legible at 850 pixels of width."""
    return painted(_paint, _SIZE, _alt())


def _paint(axes: Axes) -> None:
    axes.set_xlim(0, _SIZE[0])
    axes.set_ylim(_SIZE[1], 0)
    axes.set_axis_off()
    for risk in RISKS:
        _box(axes, risk)
    places = {risk.unit: risk for risk in RISKS}
    for (start, end), how in LEADS.items():
        _arrow(axes, places[start], places[end], how)
    _legend(axes)


def _centre(risk: Risk) -> tuple[float, float]:
    """Of its box."""
    across, down = _BOX[0] + _GAP[0], _BOX[1] + _GAP[1]
    x, y = _BOX[0] / 2 + across * risk.column, _BOX[1] / 2 + down * risk.row
    return _EDGE + x, _EDGE + y


def _box(axes: Axes, risk: Risk) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - slow to import

    x, y = (at - side / 2 for at, side in zip(_centre(risk), _BOX, strict=True))
    frame = Rectangle((x, y), *_BOX, facecolor=_GROUND, edgecolor=INK, zorder=2)
    axes.add_patch(frame)
    _strip(axes, risk.breaks, x, y, _BOX[1])
    left = x + _STRIP + 0.1
    _text(axes, left, y + 0.2, f"{risk.unit} {risk.name}", weight="bold", size=11.5)
    _text(axes, left, y + 0.45, f"breaks: {risk.breaks}", style="italic")
    _text(axes, left, y + 0.78, risk.remedies)


def _strip(axes: Axes, promise: str, x: float, y: float, height: float) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - slow to import

    colour, hatch = _LOOKS[promise]
    strip = Rectangle((x, y), _STRIP, height, facecolor=colour, edgecolor="white")
    strip.set(hatch=hatch, linewidth=0, zorder=3)
    axes.add_patch(strip)


def _text(axes: Axes, x: float, y: float, text: str, **how: Any) -> None:  # noqa: ANN401 - matplotlib's
    axes.text(x, y, text, zorder=4, **_FONT | how)


def _arrow(axes: Axes, start: Risk, end: Risk, how: str) -> None:
    (x, y), (there, below) = _side(start, end), _side(end, start)
    look = {"arrowstyle": "-|>", "color": INK, "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (there, below), (x, y), arrowprops=look, zorder=1)
    # Beside a level arrow a label would hide it.
    level = start.row == end.row
    middle = (x + there) / 2, (y + below) / 2 - (0.24 if level else 0)
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    _text(axes, *middle, how, ha="center", bbox=ground)


def _side(risk: Risk, other: Risk) -> tuple[float, float]:
    """Where an arrow between *risk* and *other* touches the box of *risk*."""
    (x, y), (far, low) = _centre(risk), _centre(other)
    across, down = far - x, low - y
    # The line through both centres leaves the box at the nearer of its sides.
    share = min(
        _BOX[0] / 2 / abs(across) if across else 1.0,
        _BOX[1] / 2 / abs(down) if down else 1.0,
    )
    return x + across * share, y + down * share


def _legend(axes: Axes) -> None:
    left, top = _LEGEND
    _text(axes, left, top, "What it breaks; below that, what helps")
    for number, promise in enumerate(_LOOKS):
        x, y = left + number % 2 * 1.6, top + 0.18 + number // 2 * 0.24
        _strip(axes, promise, x, y, 0.16)
        _text(axes, x + _STRIP + 0.08, y + 0.08, promise)
    said = "An arrow: the risk, or its usual\nremedy, brings the next one."
    _text(axes, left, top + 1.1, said)


def _alt() -> str:
    """The same in sentences."""
    boxes = [
        f"{risk.unit} {risk.name} breaks '{risk.breaks}'; what helps: "
        f"{' '.join(risk.remedies.split())}."
        for risk in RISKS
    ]
    arrows = [f"{a} to {b}, {' '.join(how.split())}" for (a, b), how in LEADS.items()]
    return f"Ten risks. {' '.join(boxes)} What leads to what: {'; '.join(arrows)}."
