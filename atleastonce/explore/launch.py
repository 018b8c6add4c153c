"""Two ways to make the copies' processes: from a lab's fork server, or from our own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from atleastonce.services.process import child_env
from atleastonce.workers.project import SHOP

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses
    from atleastonce.explore.bench import Bench
    from atleastonce.workers.fleet import Fleet
    from atleastonce.workers.mains import Warm


class Launched(Protocol):
    """Processes that connect to the search's socket by themselves."""

    def failed(self) -> bool:
        """True if it is certain that not all of them will connect."""

    def end(self) -> None:
        """Kill all of them."""


class Forked:
    """Copies forked by a lab's fork server, which has everything imported.

    Args:
        fleet: owns the fork server.
        socket: where copies find the search.
        count: how many.
        tag: what their sessions' names begin with.
        log: file for what they print.
    """

    def __init__(
        self, fleet: Fleet, socket: Path, count: int, tag: str, log: Path
    ) -> None:
        call = "atleastonce.explore.actor:serve"
        self._fleet = fleet
        self._copies: list[Warm] = [
            fleet.fork(call, str(socket), index, tag, log=log) for index in range(count)
        ]

    def failed(self) -> bool:
        """True if the fork server is gone."""
        self._fleet.pump()
        return self._fleet.board.gone

    def end(self) -> None:
        """Kill them; the fork server reaps them."""
        for copy in self._copies:
            copy.end()


class Nursery:
    """A process that imports what the copies need, and forks them.

    Args:
        addresses: the lab that they use.
        project: the module whose ``setup()`` makes Django ready.
        socket, count, tag, log: see ``Forked``.
    """

    def __init__(
        self,
        addresses: Addresses,
        project: str,
        *,
        socket: Path,
        count: int,
        tag: str,
        log: Path,
    ) -> None:
        lab_file = Path(addresses.folder, "lab.json")
        if not lab_file.exists():
            addresses.save(lab_file)
        module = "atleastonce.explore.actor"
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", module),
                    *(str(socket), str(count), project, tag),
                ],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=child_env(ATLEASTONCE_LAB_FILE=lab_file),
                start_new_session=True,
            )

    def failed(self) -> bool:
        """True if it has ended."""
        return self._process.poll() is not None

    def end(self) -> None:
        """Kill it with all of its copies."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def launch(
    bench: Bench, project: str, *, socket: Path, count: int, tag: str, log: Path
) -> Launched:
    """Make *count* processes, by the cheapest way that *bench* has.

    *project* is that of the bench's workers if it is "".
    """
    if bench.fleet and project in ("", bench.fleet.project.django):
        return Forked(bench.fleet, socket, count, tag, log)
    project = project or SHOP.django
    return Nursery(
        bench.addresses, project, socket=socket, count=count, tag=tag, log=log
    )
