"""The picture: a PNG at 144 dpi that says the same as the text."""

from __future__ import annotations

import struct
import subprocess
import sys
from typing import Any

import pytest

from atleastonce import picture as pictures
from atleastonce.events import Event
from atleastonce.picture import DPI, Picture, described, draw
from atleastonce.timeline import Timeline

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def capture(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """What is displayed: data and metadata."""
    shown: list[tuple[Any, Any]] = []

    def display(data: Any, *, raw: bool, metadata: Any = None) -> None:  # noqa: ANN401
        assert raw
        shown.append((data, metadata))

    monkeypatch.setattr("IPython.display.display", display)
    return shown


def story(message: str = "id-1") -> list[Event]:
    rows = [
        ("producer", "publish", "charge_order(1)", 0),
        ("w1", "deliver", "", 1),
        ("w1", "start", "", 1),
        ("gateway", "effect", "charge 30.00 ann for order-1, a long one", 1),
        ("w1", "fault", "killed after charge", 1),
        ("broker", "restore", "", 0),
        ("w2", "start", "", 2),
        ("w2", "finish", "FAILURE ValueError", 2),
        ("w2", "ack", "", 2),
    ]
    return [Event(lane, kind, text, message, n) for lane, kind, text, n in rows]


def size(picture: Picture) -> tuple[int, int]:
    """Width and height in pixels, from the PNG's header."""
    return struct.unpack(">II", picture.png[16:24])


def dots_per_metre(picture: Picture) -> int:
    at = picture.png.index(b"pHYs") + 4
    return struct.unpack(">I", picture.png[at : at + 4])[0]


def test_a_picture_is_a_png_of_144_dots_per_inch() -> None:
    picture = draw(Timeline(story()))
    assert picture.png.startswith(PNG)
    assert dots_per_metre(picture) == pytest.approx(DPI / 0.0254, abs=1)


def test_a_notebook_shows_it_at_half_its_pixels_with_its_alt_text() -> None:
    timeline = Timeline(story())
    picture = draw(timeline)
    data, metadata = picture._repr_png_()
    assert data == picture.png
    assert metadata == {"width": picture.width, "alt": timeline.alt}
    assert repr(picture) == timeline.alt
    assert size(picture)[0] == pytest.approx(2 * picture.width, abs=2)


def test_a_notebook_shows_the_alt_text_below_it_too(
    capture: list[tuple[Any, Any]],
) -> None:
    Picture(PNG, "5 < 6 events", 10)._ipython_display_()
    (image, how), (words, _) = capture
    assert image == {"image/png": PNG, "text/plain": "5 < 6 events"}
    assert how == {"image/png": {"width": 10, "alt": "5 < 6 events"}}
    assert list(words) == ["text/html"]  # a terminal has the alt text already
    assert "<summary>This picture in words</summary>5 &lt; 6" in str(words["text/html"])


def test_a_figure_of_pyplot_is_described_and_no_longer_pyplot_s() -> None:
    from matplotlib import pyplot as plt  # noqa: PLC0415 - slow to import

    figure, _ = plt.subplots(figsize=(4, 2))
    picture = described(figure, "An empty figure.")
    assert picture._repr_png_()[1] == {"width": 400, "alt": "An empty figure."}
    assert size(picture) == (4 * DPI, 2 * DPI)
    assert plt.get_fignums() == []


def test_equal_happenings_give_equal_bytes() -> None:
    first, second = (Timeline(story(name)) for name in ("id-1", "another"))
    assert draw(first).png == draw(second).png


def test_it_grows_by_events_and_by_lanes() -> None:
    one, two = draw(Timeline(story())), draw(Timeline([*story(), *story("id-2")]))
    assert size(two)[0] > size(one)[0]
    assert size(two)[1] == size(one)[1]
    more_lanes = draw(Timeline([*story(), Event("redis", "fault", "crashed")]))
    assert size(more_lanes)[1] > size(one)[1]


def test_an_empty_timeline_can_be_drawn() -> None:
    assert draw(Timeline([])).png.startswith(PNG)


def test_kinds_differ_by_shape_and_not_only_by_colour() -> None:
    from atleastonce import picture  # noqa: PLC0415

    told_apart = ["effect", "fault", "SUCCESS", "finish", "retry", ">", "publish"]
    shapes = [picture._SHAPES[kind][0] for kind in told_apart]
    assert len(set(shapes)) == len(shapes)


def test_importing_it_does_not_import_matplotlib() -> None:
    code = "import sys, atleastonce.picture; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


def test_an_attempt_that_nothing_has_ended_goes_on_to_the_edge() -> None:
    waiting = Timeline(story()[:3])
    begun = [e.kind for e in waiting.events].index("start")
    assert [bar[:2] for bar in pictures._bars(waiting)] == [(begun, 3)]
    killed = Timeline(story()[:5])
    assert [bar[1] < len(killed.events) for bar in pictures._bars(killed)] == [True]
