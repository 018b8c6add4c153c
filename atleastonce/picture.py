"""The timeline as a picture: a PNG survives GitHub, exports, untrusted notebooks.

Lanes are rows; a step to the right is a line further down in the text, not a second.
Every kind has its shape as well as its colour (Okabe and Ito's palette, which people
with any colour vision can tell apart); attempts are bars, hatched from the second on.
"""

from __future__ import annotations

import io
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atleastonce.ordering import is_side, is_worker
from atleastonce.palette import BLUE, GREEN, INK, ORANGE, PALE, PURPLE, SKY, VERMILLION
from atleastonce.showing import show
from atleastonce.timeline import AGAIN, mark, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from atleastonce.events import Event
    from atleastonce.timeline import Timeline

DPI = 144
_STEP, _ROW = 0.86, 0.95  # inches; a notebook shows 72 pixels in each
#: Pixels in an inch of a figure that pyplot made, whose letters are of 8 to 12 points.
_FIGURE = 100
#: Matplotlib's marker, fill and size (points) of each kind.
_SHAPES = {
    "effect": ("*", BLUE, 17),
    "fault": ("X", VERMILLION, 13),
    "SUCCESS": ("s", GREEN, 9),
    "finish": ("8", VERMILLION, 11),
    "RETRY": ("^", PURPLE, 10),
    "ack": ("s", "white", 9),
    "reject": ("v", PURPLE, 10),
    "retry": ("^", PURPLE, 10),
    "requeue": ("<", ORANGE, 10),
    "restore": ("<", ORANGE, 10),
    AGAIN: (">", ORANGE, 11),
    "publish": ("D", INK, 8),
}
_PLAIN = ("o", "white", 8)
#: Line styles that tell one message from the next.
_DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
_LABEL_LINES = 3
_ATTEMPTS = ("", "////", "xxxx", "....")


@dataclass(frozen=True)
class Picture:
    """A PNG with its alt text; a notebook shows it, a terminal the alt text.

    Attributes:
        png: the file's bytes.
        alt: what it shows, in sentences.
        width: pixels at which it looks sharp: half of its own.
    """

    png: bytes
    alt: str
    width: int

    def __repr__(self) -> str:
        """The alt text."""
        return self.alt

    def _ipython_display_(self) -> None:
        show(*self._repr_png_(), self.alt)

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        return self.png, {"width": self.width, "alt": self.alt}


def draw(timeline: Timeline) -> Picture:
    """Draw *timeline* at 144 dpi."""
    steps, rows = max(len(timeline.events), 1), max(len(timeline.lanes), 1)
    inches = 1.4 + _STEP * steps, 0.8 + _ROW * rows
    return painted(lambda axes: _paint(axes, timeline), inches, timeline.alt)


def painted(
    paint: Callable[[Axes], None], inches: tuple[float, float], alt: str
) -> Picture:
    """What *paint* draws on new axes, at 144 dpi; *inches* are width and height."""
    # Here and not above: this import takes a second.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=inches, dpi=DPI, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    paint(figure.add_subplot())
    return Picture(_png(figure), alt, round(inches[0] * DPI / 2))


def described(figure: Figure, alt: str) -> Picture:
    """A figure of pyplot with its alt text; pyplot itself shows it no more."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - slow to import

    plt.close(figure)
    width = round(figure.get_figwidth() * _FIGURE)
    return Picture(_png(figure, facecolor="white"), alt, width)


def _png(figure: Figure, **how: Any) -> bytes:  # noqa: ANN401 - matplotlib's
    file = io.BytesIO()
    # No version in it: equal drawings give equal bytes.
    figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None}, **how)
    return _with_palette(file)


def _with_palette(file: io.BytesIO) -> bytes:
    """The same in 256 colours: a third of the bytes, and equal to the eye."""
    from PIL import Image  # noqa: PLC0415 - slow to import; matplotlib needs it too

    small = io.BytesIO()
    cut = Image.Quantize.MEDIANCUT  # keeps flat colours as they are
    image = Image.open(file).convert("RGB").quantize(256, method=cut)
    image.save(small, "png", dpi=(DPI, DPI))
    return small.getvalue()


def _paint(axes: Axes, timeline: Timeline) -> None:
    rows = {lane: row for row, lane in enumerate(timeline.lanes)}
    _frame(axes, rows, len(timeline.events))
    for first, last, event in _bars(timeline):
        _bar(axes, first, last, rows[event.lane], event.attempt)
    for number, name in enumerate(timeline.names.values()):
        story = [at for at, e in enumerate(timeline.events) if e.message == name]
        heights = [rows[timeline.events[at].lane] for at in story]
        dashes = _DASHES[number % len(_DASHES)]
        axes.plot(story, heights, color=INK, linewidth=1, linestyle=dashes, zorder=2)
    for at, event in enumerate(timeline.events):
        _point(axes, at, rows[event.lane], event)
    for at in timeline.gaps:
        axes.axvline(at - 0.5, color=INK, linewidth=0.8, linestyle=(0, (2, 4)))


def _frame(axes: Axes, rows: dict[str, int], steps: int) -> None:
    axes.set_xlim(-0.6, max(steps, 1) - 0.4)
    axes.set_ylim(max(len(rows), 1) - 0.35, -0.65)
    axes.set_yticks(list(rows.values()), list(rows), fontsize=11, family="monospace")
    axes.set_xticks(range(steps), [str(n + 1) for n in range(steps)], fontsize=9)
    axes.set_xlabel("event (order, not time)", fontsize=9, color=INK)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for row in rows.values():
        axes.axhline(row, color=PALE, linewidth=1, zorder=0)


def _bars(timeline: Timeline) -> Iterator[tuple[int, int, Event]]:
    """The first and last step of each attempt on the worker that made it.

    One that nothing has ended goes on to the right edge: it waits, or works.
    """
    spans: dict[tuple[str, int, str], list[int]] = {}
    for at, event in enumerate(timeline.events):
        if event.attempt and is_worker(event.lane):
            key = (event.message, event.attempt, event.lane)
            if event.kind in {"start", "fault", "finish", "retry"}:
                spans.setdefault(key, []).append(at)
    for steps in spans.values():
        begun = timeline.events[steps[0]]
        alone = len(steps) == 1 and begun.kind == "start"
        yield steps[0], len(timeline.events) if alone else steps[-1], begun


def _bar(axes: Axes, first: int, last: int, row: int, attempt: int) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    hatch = _ATTEMPTS[min(attempt, len(_ATTEMPTS)) - 1]
    bar = Rectangle((first - 0.15, row - 0.13), last - first + 0.3, 0.26, zorder=1)
    bar.set(facecolor=SKY, edgecolor="white", alpha=0.75, linewidth=0, hatch=hatch)
    axes.add_patch(bar)


def _point(axes: Axes, at: int, row: int, event: Event) -> None:
    marker, fill, size = _SHAPES.get(_shape(event), _PLAIN)
    axes.plot(
        [at],
        [row],
        marker=marker,
        markersize=size,
        markerfacecolor=fill,
        markeredgecolor=INK,
        markeredgewidth=1,
        zorder=3,
    )
    # Lines come to an effect from above, to all others mostly from the side.
    below = is_side(event.lane)
    axes.annotate(
        _label(event),
        (at, row),
        (0, -12 if below else 12),
        textcoords="offset points",
        ha="center",
        va="top" if below else "bottom",
        fontsize=9,
        linespacing=1,
        color=INK,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.6},
        zorder=4,
    )


def _shape(event: Event) -> str:
    if mark(event) == AGAIN:
        return AGAIN
    return event.text if event.text in {"SUCCESS", "RETRY"} else event.kind


def _label(event: Event) -> str:
    """What is written beside a mark: a few short lines."""
    words = {
        "publish": f"{event.message} {said(event)}",
        "start": f"{event.message} #{event.attempt}",
        "finish": said(event),
        "deliver": "redeliver" if mark(event) == AGAIN else "deliver",
    }.get(event.kind, said(event) or event.kind)
    lines = textwrap.wrap(words, 13, break_long_words=False)
    more = " ..." if len(lines) > _LABEL_LINES else ""
    return "\n".join(lines[:_LABEL_LINES]) + more
