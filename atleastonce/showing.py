"""How a notebook shows a picture, and what it shows in words."""

from __future__ import annotations

from html import escape
from typing import Any


def show(png: bytes, how: dict[str, Any], alt: str) -> None:
    """Display the PNG, and below it *alt* behind a fold.

    JupyterLab 4.6 gives the image of a PNG no ``alt``. An ``<img>`` in HTML would have
    one, and in a notebook that is not trusted yet, as after a clone, no picture.
    """
    from IPython.display import display  # noqa: PLC0415 - slow to import

    image = {"image/png": png, "text/plain": alt}
    display(image, metadata={"image/png": how}, raw=True)
    # HTML alone: a terminal has the alt text already.
    words = f"<summary>This picture in words</summary>{escape(alt)}"
    display({"text/html": f"<details>{words}</details>"}, raw=True)
