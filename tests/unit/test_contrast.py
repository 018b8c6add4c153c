"""Colours that carry a meaning: contrast on JupyterLab's light and dark ground.

WCAG 2.2 asks for 4.5 for letters (1.4.3) and for 3 for graphics (1.4.11).
"""

from __future__ import annotations

import re

import pytest

from atleastonce import timeline, verdict_text
from atleastonce.explore import columns, sweep_table

#: ``--jp-layout-color0`` of JupyterLab's own themes, and a striped table row's colour.
GROUNDS = {"light": "#ffffff", "striped": "#f5f5f5", "dark": "#111111"}
LETTERS, GRAPHICS = 4.5, 3.0
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_as_wcag_has_it() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("outcome", sweep_table._COLOURS)
def test_the_bar_of_an_outcome_is_seen(outcome: str, ground: str) -> None:
    bar = sweep_table._COLOURS[outcome]
    assert contrast(bar, GROUNDS[ground]) >= GRAPHICS


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("verdict", verdict_text.STYLES)
def test_the_bar_of_a_verdict_is_seen(verdict: str, ground: str) -> None:
    assert contrast(verdict_text.STYLES[verdict][1], GROUNDS[ground]) >= GRAPHICS


@pytest.mark.parametrize("mark", timeline._BADGES)
def test_the_letters_of_a_badge_bring_their_own_ground(mark: str) -> None:
    assert contrast(*COLOUR.findall(timeline._BADGES[mark])) >= LETTERS


def test_no_letters_in_one_colour_suit_both_themes() -> None:
    """Why words in a table have the theme's colour."""
    greys = [f"#{n:02x}{n:02x}{n:02x}" for n in range(256)]
    both = [min(contrast(g, GROUNDS["light"]), contrast(g, "#111111")) for g in greys]
    assert max(both) < LETTERS
    assert not COLOUR.search("".join(columns._STYLES.values()))
