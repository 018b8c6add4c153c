"""The handle of the payment gateway; the process is the shop's, started by name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from atleastonce.services.control import Control
from atleastonce.services.service import Service

if TYPE_CHECKING:
    from atleastonce.services.supervised import Supervised


class Gateway(Service):
    """A payment provider with a ledger, and knobs to misbehave."""

    name: ClassVar[str] = "gateway"

    def _command(self) -> Supervised:
        module = ["-P", "-m", "atleastonce.shop.gateway", "--port", str(self.port)]
        return self.folder.process(self.name, [sys.executable, *module])

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{self.host}:{self.port}"

    @property
    def _control(self) -> Control:
        return Control(self.url, self.folder.secret)

    def ping(self) -> bool:
        """True if it knows this lab's secret."""
        return self._control.answers("/requests")

    def charges(self) -> list[dict[str, Any]]:
        """The ledger: every charge that was made, oldest first."""
        found: list[dict[str, Any]] = self._control.call("GET", "/charges")["charges"]
        return found

    def requests(self) -> list[dict[str, Any]]:
        """Every request to charge, and how it was answered, oldest first."""
        found: list[dict[str, Any]] = self._control.call("GET", "/requests")["requests"]
        return found

    def clear(self) -> None:
        """Empty the ledger, and forget keys and requests."""
        self._control.call("DELETE", "/charges")

    def knobs(self, **values: float | bool | None) -> None:
        """Misbehave from now on; with no *values* it is healed.

        Args:
            values: ``delay`` seconds before charging; ``hang=True``: charge, and answer
                only once healed; ``status=429`` or ``500`` in place of charging, with
                ``retry_after=30`` seconds in its header;
                ``lose_replies=n``: charge, then drop the connection without an answer;
                ``times``: how many requests are hit.
        """
        self._control.call("POST", "/knobs", values)

    def cut(self) -> None:
        """Close the connections of all clients now."""
        self._control.call("POST", "/cut")
