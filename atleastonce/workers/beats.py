"""The handle of a Celery beat whose clock the notebook sets, slot by slot."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from atleastonce.errors import WorkerError
from atleastonce.workers import link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atleastonce.workers.fleet import Fleet

#: Seconds for a beat to answer; a forked one takes 0.3, or some on busy cores.
PATIENCE = 30.0
#: Seconds of a slot.
SLOT = 60.0


class Beat:
    """One beat in a process of its own; nothing is sent unless it is told to tick.

    Args:
        fleet: of the lab.
        schedule: entries as in ``beat_schedule``, by name; a crontab as its text,
            such as ``"* * * * *"``. JSON.
        include: modules with tasks to import.
        ago: how many slots before now its clock begins; slot *ago* is now.
        file: the name of its schedule file, which outlives it; by default its own.

    Raises:
        WorkerError: Celery refuses the schedule.
    """

    def __init__(
        self,
        fleet: Fleet,
        schedule: dict[str, dict[str, Any]],
        *,
        include: Sequence[str] = (),
        ago: int = 10,
        file: str = "",
    ) -> None:
        places = fleet.tasks.parent / "beats"
        places.mkdir(exist_ok=True)
        self.name = file or f"beat{1 + len(list(places.glob('*.log')))}"
        self._start = time.time() - ago * SLOT
        at = places / f"{self.name}.sock"
        at.unlink(missing_ok=True)
        self._listener = link.listen(at)
        self._listener.settimeout(PATIENCE)
        call, app = "atleastonce.workers.ticking:serve", fleet.project.app
        argv = (str(at), app, schedule, list(include), self._start)
        self._log = places / f"{self.name}.log"
        self._process = fleet.fork(call, *argv, log=self._log)
        self._greet()

    def _greet(self) -> None:
        self._link, _ = self._listener.accept()
        self._listener.close()
        self._link.settimeout(PATIENCE)
        hello = self._hear()
        if hello["error"]:
            self.kill()
            raise WorkerError(f"{self.name} did not start.", seen=hello["error"])

    def _hear(self) -> dict[str, Any]:
        answer = link.receive(self._link)
        if answer is None:
            seen = self._log.read_text(errors="replace")[-1000:]
            raise WorkerError(f"{self.name} has ended.", seen=seen)
        return answer

    def __repr__(self) -> str:
        """Its name; a notebook shows it."""
        return f"<beat {self.name}>"

    def tick(self, slot: float) -> list[str]:
        """Its clock says *slot* (a minute each) now; the entries that it sent.

        Raises:
            WorkerError: it has ended.
        """
        link.send(self._link, now=self._start + slot * SLOT)
        sent: list[str] = self._hear()["sent"]
        return sent

    def kill(self) -> None:
        """SIGKILL; its schedule file stays."""
        self._process.end()
        self._link.close()
