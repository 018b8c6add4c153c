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
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

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
