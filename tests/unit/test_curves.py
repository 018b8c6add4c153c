"""Readings as a picture: a PNG whose numbers stand beside it as text."""

from __future__ import annotations

import itertools
import subprocess
import sys

from atleastonce import curves as module
from atleastonce.curves import curves

RUNS = {"no bound": [0.0, 8.2, 16.4], "32 MiB": [0.0, 8.1, 8.1]}


def test_the_numbers_stand_beside_it_as_text() -> None:
    picture = curves(RUNS, x="tasks", y="MiB")
    assert picture.png.startswith(b"\x89PNG\r\n\x1a\n")
    assert picture.alt == (
        "MiB by tasks. no bound: from 0 to 16, at most 16; "
        "32 MiB: from 0 to 8, at most 8."
    )


def test_equal_readings_give_equal_bytes() -> None:
    first, second = (curves(RUNS, x="tasks", y="MiB") for _ in range(2))
    assert first.png == second.png


def test_lines_that_end_at_one_place_have_labels_apart() -> None:
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    axes = Figure().add_subplot()
    module._paint(axes, {name: [0.0, 8.0] for name in "abc"}, "tasks", "MiB")
    heights = sorted(text.xy[1] for text in axes.texts)  # type: ignore[attr-defined]
    low, high = axes.get_ylim()
    assert heights[0] == 8.0
    apart = [after - before for before, after in itertools.pairwise(heights)]
    assert min(apart) > 0.07 * (high - low)


def test_lines_differ_by_marker_and_dashes_and_not_only_by_colour() -> None:
    colours, markers, dashes = zip(*module._LOOKS, strict=True)
    assert len(set(colours)) == len(set(markers)) == len(module._LOOKS)
    assert len(set(map(str, dashes))) >= 4


def test_importing_it_does_not_import_matplotlib() -> None:
    code = "import sys, atleastonce.curves; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
