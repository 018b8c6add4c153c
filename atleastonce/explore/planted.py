"""The fault of a sweep: one at every point, or the same on several attempts. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atleastonce.workers.plan import Strike

if TYPE_CHECKING:
    from atleastonce.workers.plan import At

_SAID = {
    "kill": "killed",
    "term": "terminated",
    "soft limit": "stopped by a soft time limit",
    "lose reply": "reply lost",
    "cut": "connection cut",
}


@dataclass(frozen=True)
class Planted:
    """The fault of a sweep, wherever it strikes.

    Attributes:
        action: as in ``Strike.action``.
        what: ``child`` or ``worker``.
        attempts: which attempts are struck, from 1.
        lines: False where it spares the lines between two effects.
    """

    action: str
    what: str
    attempts: tuple[int, ...]
    lines: bool = True

    @property
    def text(self) -> str:
        """Such as ``child killed on attempt 1 and 2``."""
        said = _SAID.get(self.action, self.action)
        if self.action not in ("lose reply", "cut"):
            # A soft time limit is raised in the child, whatever a kill would hit.
            soft = self.action == "soft limit"
            said = f"{'child' if soft else self.what} {said}"
        if self.attempts != (1,):
            said += f" on attempt {' and '.join(map(str, self.attempts))}"
        return said

    def strikes(self, at: At, place: str) -> list[Strike]:
        """One for each attempt."""
        text = f"{_SAID[self.action]} at {place}"
        return [
            Strike(str(n), self.action, self.what, text, at, n) for n in self.attempts
        ]
