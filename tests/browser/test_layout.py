"""Stored lessons in JupyterLab, without a kernel: nothing is wider than its cell.

At 1280 by 720 there is nothing to scroll sideways; at 200 % (half of the pixels, the
file browser closed) what is too wide scrolls, and pictures shrink. ``make test`` takes
two lessons, ``make browser`` all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

#: Longest that JupyterLab may take on a busy machine, in milliseconds.
PATIENCE = 180_000
#: One with a map and a timeline, one with schedules side by side.
FIRST = ("00_", "05_")
LESSONS = [
    pytest.param(
        path,
        id=path.stem,
        marks=[] if path.stem.startswith(FIRST) else [pytest.mark.slow],
    )
    for path in course.notebooks("notebooks")
]
WHOLE, ZOOMED = (1280, 720), (640, 360)

OPEN = """async path => {
  window.jupyterapp.shell.currentWidget?.close()
  const none = {shouldStart: false, canStart: false, autoStartDefault: false}
  const panel = await window.jupyterapp.commands.execute('docmanager:open',
    {path, factory: 'Notebook', kernelPreference: none})
  await panel.context.ready
  await panel.revealed
  await Promise.all(panel.content.widgets.map(cell => cell.ready))
  await Promise.all([...panel.node.querySelectorAll('img')].map(i => i.decode()))
}"""

SIDEBAR = """shown => shown
  ? window.jupyterapp.shell.expandLeft() : window.jupyterapp.shell.collapseLeft()"""

# Code scrolls in its editor, as everywhere; this is about what a lesson shows.
WIDE = """() => {
  const cells = window.jupyterapp.shell.currentWidget.content.widgets
  const shown = '.jp-RenderedMarkdown, .jp-OutputArea-output'
  const all = (kind, judge) => cells.flatMap(cell =>
    [...cell.node.querySelectorAll(kind)].filter(judge).map(() => cell.model.id))
  const over = part => part.scrollWidth > part.clientWidth + 1
  const scrolls = part => ['auto', 'scroll'].includes(getComputedStyle(part).overflowX)
  return {
    sideways: all(shown, over),
    cut: all(shown, part => over(part) && !scrolls(part)),
    pictures: all('img', image =>
      image.clientWidth > image.closest(shown).clientWidth + 1),
    parts: all(shown, () => true).length,
  }
}"""


@pytest.fixture(scope="module")
def page(chromium: Browser, server: tuple[str, str]) -> Iterator[Page]:
    """JupyterLab, loaded once: that is what takes long."""
    url, token = server
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}/lab?reset&token={token}")
    page.wait_for_function("() => window.jupyterapp?.shell")
    page.evaluate("() => window.jupyterapp.restored")
    yield page
    page.close()


def looked_at(page: Page, size: tuple[int, int]) -> dict[str, Any]:
    """The cells that are too wide in some way, in a window of *size*."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(SIDEBAR, size == WHOLE)
    # Two frames: the sidebar's new width, then the layout that follows from it.
    frame = "() => new Promise(done => requestAnimationFrame(done))"
    for _ in range(2):
        page.evaluate(frame)
    found: dict[str, Any] = page.evaluate(WIDE)
    assert found.pop("parts") > len(course.notebooks("notebooks"))
    return found


@pytest.mark.parametrize("path", LESSONS)
def test_nothing_is_wider_than_its_cell_and_at_200_percent_nothing_is_cut(
    path: Path, page: Page
) -> None:
    page.evaluate(OPEN, str(path.relative_to(course.folder())))
    whole, zoomed = looked_at(page, WHOLE), looked_at(page, ZOOMED)
    assert whole == {"sideways": [], "cut": [], "pictures": []}
    assert (zoomed["cut"], zoomed["pictures"]) == ([], [])
