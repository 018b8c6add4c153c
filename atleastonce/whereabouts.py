"""Where accepted orders are in the end, as a picture: a bar for each ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce.palette import BLUE, INK, ORANGE, SKY, VERMILLION
from atleastonce.picture import painted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from atleastonce.picture import Picture

    Ledgers = Mapping[str, Mapping[str, object]]

_WIDTH, _ROW, _EDGE = 8.0, 0.26, 0.9  # inches
#: Okabe and Ito's colours; a hatch tells each place too.
_LOOKS = {
    "done": (BLUE, ""),
    "queue": (SKY, "...."),
    "unacked": (ORANGE, "////"),
    "lost": (VERMILLION, "xxxx"),
}


def draw_whereabouts(runs: Ledgers) -> Picture:
    """Draw each ledger as a bar, in shares of what was accepted.

    Args:
        runs: ``accepted``, ``done``, ``queue``, ``unacked`` and ``lost``, by the name
            of the scene.
    """
    inches = _WIDTH, _EDGE + _ROW * len(runs)
    return painted(lambda axes: _paint(axes, runs), inches, _alt(runs))


def _paint(axes: Axes, runs: Ledgers) -> None:
    ends = [0.0] * len(runs)
    for place, (colour, hatch) in _LOOKS.items():
        shares = [_share(ledger, place) for ledger in runs.values()]
        bars = axes.barh(range(len(runs)), shares, height=0.7, left=ends, label=place)
        for bar in bars:
            bar.set(facecolor=colour, edgecolor="white", hatch=hatch, linewidth=0)
        ends = [end + share for end, share in zip(ends, shares, strict=True)]
    _frame(axes, list(runs), max(ends))


def _share(ledger: Mapping[str, object], place: str) -> float:
    return 100 * float(str(ledger[place])) / float(str(ledger["accepted"]))


def _frame(axes: Axes, names: list[str], most: float) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=9)
    axes.tick_params(length=0)
    axes.invert_yaxis()
    axes.set_xlim(0, most)
    axes.set_xlabel("messages and done orders, in % of the orders accepted", color=INK)
    # One order with two messages is to be seen as too much.
    axes.axvline(100, color=INK, linewidth=1)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.figure.legend(loc="outside upper center", ncols=len(_LOOKS), frameon=False)


def _alt(runs: Ledgers) -> str:
    told = [f"{name}: {_told(ledger)}" for name, ledger in runs.items()]
    return f"Where the accepted orders are in the end. {'; '.join(told)}."


def _told(ledger: Mapping[str, object]) -> str:
    return ", ".join(f"{ledger[place]} {place}" for place in _LOOKS if ledger[place])
