"""Start JupyterLab for the course: ``python -m atleastonce.jupyter [--port N]``.

It listens on loopback only (in its container, where the port is published there), makes
its own token (never in a command line), and opens a browser where there is one;
elsewhere it prints the address. Ctrl-C ends it without a question, and with it the
kernels, whose labs close their own services.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from atleastonce import course
from atleastonce.cli.base import explained
from atleastonce.errors import AtLeastOnceError

HOST = "127.0.0.1"
#: Jupyter's own default; the next ones are tried when no port was asked for.
DEFAULT_PORT = 8888
RETRIES = 50


def check_port(port: int) -> None:
    """Make sure that *port* can be listened on.

    Raises:
        AtLeastOnceError: it is taken, or not ours to take.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            raise AtLeastOnceError(
                f"Port {port} is {'taken' if taken else 'not ours to use'}.",
                seen=str(error),
                attempt="make start, which finds a free port",
            ) from None


def has_browser() -> bool:
    """Whether a graphical browser would open; never one in this terminal."""
    try:
        return type(webbrowser.get()) is not webbrowser.GenericBrowser
    except webbrowser.Error:
        return False


def options(port: int | None, host: str = HOST) -> list[str]:
    """JupyterLab's options, where the course differs from its defaults."""
    lessons = course.notebooks("notebooks")
    first = f"/lab/tree/notebooks/{lessons[0].name}" if lessons else "/lab"

    return [
        f"--ServerApp.ip={host}",
        f"--ServerApp.port={DEFAULT_PORT if port is None else port}",
        f"--ServerApp.port_retries={RETRIES if port is None else 0}",
        f"--ServerApp.root_dir={course.folder()}",
        f"--LabApp.default_url={first}",
        f"--ServerApp.open_browser={has_browser()}",
        f"--ServerApp.allow_root={os.geteuid() == 0}",
        "--ServerApp.answer_yes=True",  # Ctrl-C asks nothing
        "--Application.log_level=WARN",
        # It would ask npm and others for language servers, at each start.
        "--LanguageServerManager.autodetect=False",
        # Without encryption each kernel prints a warning.
        "--KernelManager.transport_encryption=auto",
        f"--LabServerApp.app_settings_dir={Path(__file__).parent / 'lab_settings'}",
    ]


def main(
    port: Annotated[int | None, typer.Option(help="Listen on this port only.")] = None,
    host: Annotated[str, typer.Option(help="Another one in a container.")] = HOST,
) -> None:
    """Start JupyterLab on loopback and open the first lesson."""
    if port is not None:
        check_port(port)
    from jupyterlab.labapp import LabApp  # noqa: PLC0415 - after the port is known

    # Without a terminal Jupyter leaves SIGINT to Python, and its kernels running.
    signal.signal(signal.SIGINT, lambda *_: signal.raise_signal(signal.SIGTERM))
    LabApp.launch_instance(argv=options(port, host))


if __name__ == "__main__":
    with explained():
        typer.run(main)
