"""Spans as a picture: a PNG that says the same as its alt text."""

from __future__ import annotations

from atleastonce.spans import draw_spans


def test_spans_are_a_png_with_their_seconds_in_words() -> None:
    picture = draw_spans({"a loop": 0.42, "no loop": 1.7}, deadline=0.4, late=1.0)
    assert picture.png.startswith(b"\x89PNG\r\n\x1a\n")
    said = "Bars beside a deadline of 0.4 s. a loop: 0.4 s, no loop: 1.7 s."
    assert repr(picture) == said
