"""The picture of the ten risks: complete, legible, and told by more than colour."""

from __future__ import annotations

import itertools

from atleastonce import course, riskmap
from atleastonce.riskmap import draw_risks
from atleastonce.risks import LEADS, RISKS


def test_each_lesson_has_its_box() -> None:
    stems = [path.stem for path in course.notebooks("notebooks")]
    boxes = {f"{risk.unit}_{risk.name.replace(' ', '_')}" for risk in RISKS}
    assert boxes == set(stems) - {"00_start_here"}


def test_no_two_boxes_stand_at_one_place() -> None:
    assert len({(risk.column, risk.row) for risk in RISKS}) == len(RISKS)


def test_each_arrow_leads_from_a_box_to_another() -> None:
    units = {risk.unit for risk in RISKS}
    assert {unit for arrow in LEADS for unit in arrow} <= units
    assert not [a for a, b in LEADS if a == b]


def test_promises_differ_by_hatch_and_not_only_by_colour() -> None:
    looks = riskmap._LOOKS
    colours, hatches = zip(*looks.values(), strict=True)
    assert len(set(colours)) == len(set(hatches)) == len(looks)
    assert {risk.breaks for risk in RISKS} == set(looks)


def test_the_alternative_text_tells_each_box_and_each_arrow() -> None:
    picture = draw_risks()
    assert picture.png.startswith(b"\x89PNG\r\n\x1a\n")
    assert all(f"{risk.unit} {risk.name} breaks" in picture.alt for risk in RISKS)
    assert all(f"{a} to {b}, " in picture.alt for a, b in LEADS)


def test_it_fits_beside_the_file_browser_of_a_small_screen() -> None:
    width, height = (72 * inches for inches in riskmap._SIZE)
    assert width <= 850
    assert height <= 560


def test_no_text_leaves_its_box_and_no_label_covers_another() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    figure = Figure(figsize=riskmap._SIZE)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    riskmap._paint(axes)
    canvas.draw()
    shown = [(t.get_text(), t.get_window_extent()) for t in axes.texts if t.get_text()]
    for (one, first), (other, second) in itertools.combinations(shown, 2):
        assert not first.overlaps(second), f"{one!r} and {other!r}"
    whole = figure.bbox
    assert [text for text, box in shown if box.x1 > whole.x1 or box.y1 > whole.y1] == []
