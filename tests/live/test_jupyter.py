"""``python -m atleastonce.jupyter``: what ``make start`` runs."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest
import requests

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.live
ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)/\S*\?token=(\S+)")


def argv(port: int) -> list[str]:
    return [sys.executable, "-m", "atleastonce.jupyter", "--port", str(port)]


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def server(port: int, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """It, without a display, on *port*, logging to ``log``."""
    env = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
    env["JUPYTER_RUNTIME_DIR"] = str(tmp_path / "runtime")
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            argv(port), env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    yield process
    process.kill()
    process.wait()


def address(log: Path) -> re.Match[str]:
    found = wait_until(
        lambda: ADDRESS.search(log.read_text()),
        timeout=60,
        what="the address of JupyterLab",
        seen=log.read_text,
    )
    assert found
    return found


def status(url: str, token: str = "") -> int:
    """The HTTP status of the server's own; 0 when it does not answer."""
    headers = {"Authorization": f"token {token}"}
    try:
        return requests.get(f"{url}/api/status", headers=headers, timeout=5).status_code
    except requests.ConnectionError:
        return 0


def test_it_serves_on_loopback_to_who_has_the_token_and_ends_at_ctrl_c(
    server: subprocess.Popen[bytes], port: int, tmp_path: Path
) -> None:
    found = address(tmp_path / "log")
    url, token = found[1], found[2]
    assert url == f"http://127.0.0.1:{port}"
    wait_until(lambda: status(url, token) == 200, timeout=30, what="JupyterLab")
    assert status(url) == 403
    assert token not in " ".join(psutil.Process(server.pid).cmdline())
    server.send_signal(signal.SIGINT)
    assert server.wait(30) == 0
    assert list((tmp_path / "runtime").glob("jpserver-*")) == []
    assert status(url) == 0


def test_a_taken_port_is_one_clear_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            argv(port), capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 2
    assert f"Port {port} is taken." in done.stderr
    assert "Try: make start" in done.stderr
    assert "Traceback" not in done.stderr
