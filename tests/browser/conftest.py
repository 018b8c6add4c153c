"""One JupyterLab, started as ``make start`` starts it, and one real Chromium."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import sync_playwright

from atleastonce import course
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
#: Root needs no-sandbox; the rest keeps the browser from talking to anyone else.
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)/\S*\?token=(\S+)")

#: Longest that a notebook may take on a busy machine, in milliseconds.
PATIENCE = 240_000
SCREENSHOTS = course.folder() / ".atleastonce" / "screenshots"

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
    shown: cell.outputArea.node.innerText,
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
# Where the next key goes: the notebook's own idea of its active cell and its mode.
EDIT = """name => {
  const sheet = window.jupyterapp.shell.currentWidget.content
  sheet.activeCellIndex =
    sheet.widgets.findIndex(cell => cell.model.id === name)
  sheet.mode = 'edit'
  sheet.activeCell.editor.focus()
}"""
SAVED = "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"

#: What a test needs to drive JupyterLab, and to leave the committed files alone.
USER_SETTINGS = {
    "docmanager-extension/plugin": {"autosave": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def configure(folder: Path) -> dict[str, str]:
    """The environment of a server whose configuration is in *folder* only."""
    for name, values in USER_SETTINGS.items():
        file = folder / f"lab/user-settings/@jupyterlab/{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(values))
    config = {"LabApp": {"expose_app_in_browser": True}}
    (folder / "jupyter_lab_config.json").write_text(json.dumps(config))
    own = {
        "JUPYTER_CONFIG_DIR": folder,
        "JUPYTER_DATA_DIR": folder / "data",
        "IPYTHONDIR": folder / "ipython",
    }
    return dict(os.environ) | {name: str(path) for name, path in own.items()}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The server's URL and token; it ends as Ctrl-C ends it."""
    folder = tmp_path_factory.mktemp("jupyter")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "atleastonce.jupyter", "--port", str(free_port())],
            env=configure(folder),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield _address(process, folder / "log")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


def _address(process: subprocess.Popen[bytes], log: Path) -> tuple[str, str]:
    def printed() -> re.Match[str] | None:
        assert process.poll() is None, log.read_text()
        return ADDRESS.search(log.read_text())

    found = wait_until(printed, timeout=60, what="JupyterLab", seen=log.read_text)
    assert found
    return found[1], found[2]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser; absent, it is a reason to skip here and to fail in CI."""
    if not CHROMIUM.exists():
        absent = f"{CHROMIUM} is not installed: sudo apt install chromium"
        (pytest.fail if "CI" in os.environ else pytest.skip)(absent)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=ARGS, headless=True
        )
        yield browser
        browser.close()


class Sheet:
    """A notebook that a person has open in JupyterLab."""

    def __init__(self, page: Page, path: Path) -> None:
        self._page, self._path = page, path

    def run_all(self) -> list[dict[str, Any]]:
        """Restart Kernel and Run All Cells, through its dialog; the code cells then."""
        self._page.evaluate(RUN_ALL)
        self._page.click(".jp-Dialog button.jp-mod-accept")
        self._page.evaluate("() => window.ran")
        self._page.wait_for_function(DONE)
        found: list[dict[str, Any]] = self._page.evaluate(CELLS)
        return found

    def write(self, cell: str, text: str) -> None:
        """Put *text* in place of a cell's, by the keyboard."""
        self._page.evaluate(EDIT, cell)
        self._page.keyboard.press("Control+A")
        self._page.keyboard.insert_text(text)

    def save(self) -> None:
        """Ctrl+S."""
        self._page.keyboard.press("Control+S")
        self._page.wait_for_function(SAVED)

    def picture(self) -> None:
        """Save the whole notebook as one picture, to be looked at."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        height = self._page.evaluate(
            "() => document.querySelector('.jp-WindowedPanel-outer').scrollHeight"
        )
        size = {"width": 1280, "height": min(height + 200, 16_000)}
        self._page.set_viewport_size(size)  # type: ignore[arg-type]
        name = f"{self._path.parent.name}-{self._path.stem}.png"
        self._page.screenshot(path=SCREENSHOTS / name)


@pytest.fixture
def opened(
    chromium: Browser, server: tuple[str, str]
) -> Iterator[Callable[..., Sheet]]:
    """Open a notebook of the clone; its kernel ends with the test."""
    url, token = server
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(PATIENCE)

    def open_notebook(path: Path) -> Sheet:
        place = path.relative_to(course.folder())
        page.goto(f"{url}/lab/tree/{place}?reset&token={token}")
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context")
        page.evaluate(READY)
        return Sheet(page, path)

    yield open_notebook
    if "/lab/tree/" in page.url:
        page.evaluate(SHUT_DOWN)
    page.close()
