"""Erlang's port mapper, of its own for one lab: nodes find each other through it.

Erlang would start one by itself, for the whole machine and for ever, after asking the
network; this one belongs to the lab and answers on loopback.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from atleastonce.services.ports import HOST, free_port
from atleastonce.services.service import PATIENCE, TRIES
from atleastonce.services.user import service_user
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from atleastonce.services.folder import LabFolder
    from atleastonce.services.process import Process


class Epmd:
    """The port mapper of the lab in *folder*; its program is *binary*."""

    def __init__(self, folder: LabFolder, binary: Path) -> None:
        self._folder, self._binary = folder, binary
        self._port = 0
        self._process = self._command()

    def _command(self) -> Process:
        return self._folder.process(
            "epmd",
            [self._binary, "-port", str(self._port), "-address", HOST],
            user=service_user(),
        )

    @property
    def environment(self) -> dict[str, str]:
        """What leads a node to it."""
        return {"ERL_EPMD_PORT": str(self._port), "ERL_EPMD_ADDRESS": HOST}

    def start(self) -> None:
        """Start it, unless it runs; returns when it answers.

        Raises:
            ServiceError: it can't be started.
        """
        for _ in range(TRIES):
            if self._process.alive:
                return
            self._port = free_port()
            self._process = self._command()
            self._process.start()
            self._await()
        if not self._process.alive:
            raise self._process.error(f"did not start on {TRIES} ports")

    def _await(self) -> None:
        wait_until(
            lambda: self._answers() or not self._process.alive,
            timeout=PATIENCE,
            what="epmd to answer",
            seen=self._process.tail,
        )

    def _answers(self) -> bool:
        try:
            socket.create_connection((HOST, self._port), timeout=1.0).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """End it."""
        self._process.kill()
