"""A callable that is swept, in a process of its own, and its restarts."""

from __future__ import annotations

import pickle
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.errors import WaitTimeout
from atleastonce.explore.sweep_targets import Endless
from atleastonce.waiting import Deadline, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.explore.copies import Copy
    from atleastonce.explore.victims import Victims
    from atleastonce.workers.plan import Plan

SERVE = "atleastonce.explore.callable_runner:serve"
#: Seconds after which a call is taken for one that waits for the workers.
ALONE = 5.0


class Call:
    """A callable, in a process of its own that is restarted until it has returned.

    The workers stand still until then. Else it would depend on the machine whether it
    finds what it published done. A call that waits for them goes on beside them.

    Args:
        copy: what to call.
        victims: workers for what it publishes.
        folder: the lab's.
        left: how much is left to do after it has returned; None: nothing.
    """

    def __init__(
        self,
        copy: Copy,
        victims: Victims,
        folder: Path,
        left: Callable[[], object] | None,
    ) -> None:
        self._copy, self._victims, self._folder = copy, victims, folder
        self._left = left or (lambda: 0)
        self._log = folder / "log" / "call.log"
        self._alone = True

    def begin(self, plan: Plan) -> str:
        """Start its process."""
        message = f"call-{secrets.token_hex(8)}"
        self._order = Path(plan.folder, "order")
        order = {"path": sys.path, "plan": plan, "message": message}
        self._order.write_bytes(pickle.dumps(order | {"copy": self._copy.pack()}))
        self._fork()
        return message

    def _fork(self) -> None:
        if self._alone:
            self._victims.hold()
        fleet = self._victims.fleet
        self._process = fleet.fork(SERVE, str(self._order), log=self._log)

    def settle(self, most: int, timeout: float) -> None:
        """See ``Target``; a process that died or raised is started again."""
        deadline, failures = Deadline(timeout), 0
        while (failed := bool(self._ended(deadline))) or self._more(deadline):
            failures += failed
            if failures > most:
                raise Endless(
                    f"It is begun again and again: {failures} attempts.",
                    seen=self.tail(),
                )
            if deadline.expired:
                raise Endless(
                    f"It is begun again and again, for {timeout:g} s.", seen=self.tail()
                )
            self._fork()

    def _more(self, deadline: Deadline) -> bool:
        """It has returned: the workers do what it published; is more left to do?"""
        self._victims.go_on()
        self._victims.fleet.quiet(max(0.1, deadline.remaining), abandoned=True)
        return bool(self._left())

    def _ended(self, deadline: Deadline) -> int:
        """Its exit status."""
        fleet, pid = self._victims.fleet, self._process.pid
        alone = Deadline(ALONE)

        def ended() -> bool:
            fleet.pump()
            if self._alone and alone.expired:
                self._alone = False
                self._victims.go_on()
            return pid in fleet.board.ended or fleet.board.gone

        try:
            wait_until(
                ended,
                timeout=max(0.1, deadline.remaining),
                what="the process to end",
                seen=self.tail,
                interval=0.002,
            )
        except WaitTimeout:
            self._process.end()
            raise
        return fleet.board.ended.get(pid, 1)

    def tail(self) -> str:
        """The last lines that it said."""
        if not self._log.exists():
            return ""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-8:])

    def forget(self) -> None:
        """Nothing is left of it."""
