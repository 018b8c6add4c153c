"""Each lesson and lab, opened in JupyterLab: Restart Kernel and Run All Cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

#: Longest that a notebook may take on a busy machine, in milliseconds.
PATIENCE = 240_000
SCREENSHOTS = course.folder() / ".atleastonce" / "screenshots"
NOTEBOOKS = course.notebooks("notebooks") + course.notebooks("labs")

READY = """async () => {
  await window.jupyterapp.restored
  const panel = window.jupyterapp.shell.currentWidget
  await panel.context.ready
  await panel.sessionContext.ready
  await panel.sessionContext.session.kernel.info
}"""

# A stored notebook shows prompts already: without them, numbers prove this run.
# The command asks in a dialog; the promise ends when the last cell has run.
RUN_ALL = """() => {
  const commands = window.jupyterapp.commands
  window.ran = commands.execute('notebook:clear-all-cell-outputs')
    .then(() => commands.execute('notebook:restart-run-all'))
  return null
}"""

CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
  .filter(cell => cell.model.type === 'code')
  .map(cell => ({
    id: cell.model.id,
    empty: !cell.model.sharedModel.getSource().trim(),
    count: cell.model.executionCount,
    tags: cell.model.getMetadata('tags') || [],
    errors: cell.model.outputs.toJSON()
      .filter(output => output.output_type === 'error')
      .map(output => `${output.ename}: ${output.evalue}`),
  }))"""

# The command's promise ends at the first error, also at one that is allowed.
DONE = f"""() => {{
  const cells = ({CELLS})().filter(cell => !cell.empty)
  const stopped = cell =>
    cell.errors.length && !cell.tags.includes('raises-exception')
  return cells.every(cell => cell.count) || cells.some(stopped)
}}"""

SHUT_DOWN = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(PATIENCE)
    yield page
    page.close()


def picture(page: Page, path: Path) -> None:
    """Save the whole notebook as one picture, to be looked at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    height = page.evaluate(
        "() => document.querySelector('.jp-WindowedPanel-outer').scrollHeight"
    )
    page.set_viewport_size({"width": 1280, "height": min(height + 200, 16_000)})
    page.screenshot(path=SCREENSHOTS / f"{path.parent.name}-{path.stem}.png")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_restart_and_run_all_reaches_the_end(
    path: Path, server: tuple[str, str], page: Page
) -> None:
    url, token = server
    before = path.read_bytes()
    place = path.relative_to(course.folder())
    page.goto(f"{url}/lab/tree/{place}?reset&token={token}")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context")
    page.evaluate(READY)
    try:
        page.evaluate(RUN_ALL)
        page.click(".jp-Dialog button.jp-mod-accept")
        page.evaluate("() => window.ran")
        page.wait_for_function(DONE)
        cells = page.evaluate(CELLS)
        picture(page, path)
    finally:
        page.evaluate(SHUT_DOWN)
    shown = {c["id"]: c["errors"] for c in cells if c["errors"]}
    allowed = {c["id"] for c in cells if "raises-exception" in c["tags"]}
    ran = [c["count"] for c in cells if not c["empty"]]
    assert {k: v for k, v in shown.items() if k not in allowed} == {}
    assert ran == list(range(1, len(ran) + 1))
    assert path.read_bytes() == before
