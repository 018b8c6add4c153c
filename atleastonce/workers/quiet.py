"""Quiescence: when nothing is left to do, and the world may be judged.

Nothing waits in a queue, nothing is unacked, and every worker's own loop says twice in
a row that it holds nothing, with the same count of tasks done: a message that was just
taken from the queue and is not yet ``unacked`` is invisible to one look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atleastonce.errors import WaitTimeout
from atleastonce.waiting import Deadline, pause

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.workers.fleet import Fleet

INTERVAL = 0.005
#: Seconds after which ``unless`` is asked again: a main process that a fault has frozen
#: never answers.
GLANCE = 0.2


def wait(
    fleet: Fleet,
    timeout: float,
    *,
    abandoned: bool,
    unless: Callable[[], object] | None = None,
) -> None:
    """Return when the fleet is quiet; see ``Fleet.quiet``.

    Raises:
        WaitTimeout: it is not quiet after *timeout* seconds.
    """
    deadline = Deadline(timeout)
    last: tuple[object, ...] = ()
    while not (unless and unless()):
        look = _Look(fleet, GLANCE if unless else max(GLANCE, deadline.remaining))
        now = look.totals(abandoned=abandoned)
        if now and now == last:
            return
        last = now
        if deadline.expired:
            raise WaitTimeout(
                f"The workers were not quiet after {timeout:g} s.", seen=look.text()
            )
        if not now:
            pause(INTERVAL)


class _Look:
    """One look at the broker, the workers, and the broker again."""

    def __init__(self, fleet: Fleet, patience: float) -> None:
        self.waiting = fleet.broker.backlog().due
        self.answers: dict[str, dict[str, Any]] = {}
        if not self.waiting:
            live = {w.name for w in fleet.workers if w.alive}
            self.answers = fleet.board.ask(live, patience)
        live = {w.name for w in fleet.workers if w.alive}
        self.silent = live - set(self.answers)
        self.after = fleet.broker.backlog()
        self.waiting = self.waiting or self.after.due

    @property
    def held(self) -> set[str]:
        """The messages that live workers hold."""
        rows = self.answers.values()
        return {message for row in rows for message in row["reserved"] + row["active"]}

    def totals(self, *, abandoned: bool) -> tuple[object, ...]:
        """Tasks done by each worker, if all is quiet; else nothing."""
        held, after = self.held, self.after
        unacked = after.to_come(held) if abandoned else after.unacked
        if self.waiting or unacked or held or self.silent:
            return ()
        return ("quiet", *sorted((n, a["total"]) for n, a in self.answers.items()))

    def text(self) -> str:
        """What is still to do, for the error."""
        parts = [
            f"waiting {self.waiting}" if self.waiting else "",
            f"{self.after.unacked} unacked" if self.after.unacked else "",
            f"{len(self.held)} held by workers" if self.held else "",
            f"no answer from {', '.join(sorted(self.silent))}" if self.silent else "",
        ]
        return "; ".join(part for part in parts if part) or "all idle, only once"
