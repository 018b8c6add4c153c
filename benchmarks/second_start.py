"""How long a second ``make start`` takes until JupyterLab answers.

Run from the clone: ``.venv/bin/python benchmarks/second_start.py [runs]``. The first
one, which installs, is not counted. Prints the median of wall seconds, and of the CPU
seconds of all that it started.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import requests

from atleastonce import course
from atleastonce.services.ports import free_port
from atleastonce.waiting import wait_until

TOKEN = re.compile(r"\?token=(\w+)")


def once() -> tuple[float, float]:
    """Wall seconds until the server answers its token, CPU seconds in all."""
    port, cpu = free_port(), os.times()
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as log:
        make = subprocess.Popen(
            ["make", "start", f"PORT={port}"],
            cwd=course.folder(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_until(lambda: _answers(port, log.fileno()), timeout=120, what="it")
            took = time.monotonic() - started
        finally:
            os.killpg(make.pid, signal.SIGINT)
            make.wait(30)
    now = os.times()
    used = now.children_user + now.children_system
    return took, used - cpu.children_user - cpu.children_system


def _answers(port: int, log: int) -> bool:
    token = TOKEN.search(Path(f"/proc/self/fd/{log}").read_text())
    if not token:
        return False
    url = f"http://127.0.0.1:{port}/api/status?token={token[1]}"
    try:
        return requests.get(url, timeout=5).ok
    except requests.ConnectionError:
        return False


def main() -> None:
    """Print the medians."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    make = ["make", "-s", ".venv/ready"]
    subprocess.run(make, cwd=course.folder(), check=True, stdin=subprocess.DEVNULL)
    wall, cpu = zip(*(once() for _ in range(runs)), strict=True)
    print(
        f"second make start: {median(wall):.2f} s until it answers "
        f"({min(wall):.2f} to {max(wall):.2f}), {median(cpu):.2f} CPU s; {runs} runs"
    )


if __name__ == "__main__":
    main()
