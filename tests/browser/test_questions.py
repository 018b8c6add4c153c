"""The questions of a lesson in JupyterLab: a keyboard unfolds, and no kernel runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

#: Longest that JupyterLab may take on a busy machine, in milliseconds.
PATIENCE = 120_000
LESSON = course.notebooks("notebooks")[0].relative_to(course.folder())

NO_KERNEL = """async () => {
  await window.jupyterapp.restored
  const panel = window.jupyterapp.shell.currentWidget
  await panel.context.ready
  await panel.sessionContext.ready
  await panel.sessionContext.shutdown()
  return panel.sessionContext.session
}"""

#: To the cell above the question's, by command mode; from there the keyboard goes on.
BEFORE = """() => {
  const book = window.jupyterapp.shell.currentWidget.content
  const asks = cell => cell.node.querySelector('details')
  book.activeCellIndex = book.widgets.findIndex(asks)
  book.mode = 'command'
  book.activate()
  book.activeCell.node.scrollIntoView()
}"""

FOCUS = "() => document.activeElement?.tagName"
OPEN = "() => document.activeElement.parentElement.open"
#: Tab stops between a cell and the fold in it, at most.
STOPS = 12


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(PATIENCE)
    yield page
    page.close()


def tabbed(page: Page) -> bool:
    """Press Tab until a summary has the focus."""
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUS) == "SUMMARY":
            return True
    return False


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_keyboard_unfolds_and_folds_an_answer_without_a_kernel(
    key: str, server: tuple[str, str], page: Page
) -> None:
    url, token = server
    page.goto(f"{url}/lab/tree/{LESSON}?reset&token={token}")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context")
    assert page.evaluate(NO_KERNEL) is None
    page.evaluate(BEFORE)
    assert tabbed(page)
    for unfolded in (True, False):
        page.keyboard.press(key)
        assert page.evaluate(FOCUS) == "SUMMARY"  # and no editor
        assert page.evaluate(OPEN) is unfolded
