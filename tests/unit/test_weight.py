"""The line through a growing memory, and its picture."""

from __future__ import annotations

import pytest

from atleastonce.weight import Growth, picture

POINTS = [(10, 1_000 + 3_000), (20, 1_000 + 6_000), (30, 1_000 + 9_000)]


def test_points_on_a_line_have_its_slope_and_no_error() -> None:
    line = Growth.of(POINTS)
    assert line.slope == pytest.approx(300)
    assert line.error == pytest.approx(0, abs=1e-3)
    assert line.base == pytest.approx(1_000)
    assert line.million() == "0.30 ± 0.00 GB"


def test_a_point_beside_the_line_makes_an_error() -> None:
    line = Growth.of([*POINTS, (40, 1_000 + 14_000)])
    assert line.error > 30


def test_the_picture_is_a_png_that_says_what_a_million_takes() -> None:
    drawn = picture({"None": Growth.of(POINTS)}, check=290.0, claim=10e9)
    assert drawn.png.startswith(b"\x89PNG")
    assert repr(drawn) == "a million of None: 0.30 ± 0.00 GB."
