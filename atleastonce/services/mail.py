"""The handle of the mail catcher; the process is ``mail_server``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from atleastonce.services.control import Control
from atleastonce.services.ports import free_port
from atleastonce.services.service import Service

if TYPE_CHECKING:
    from atleastonce.services.supervised import Supervised


class Mail(Service):
    """An SMTP server that keeps every mail, through a crash too."""

    name: ClassVar[str] = "mail"

    def _choose_ports(self) -> None:
        super()._choose_ports()
        self.control_port = free_port()

    def _command(self) -> Supervised:
        module = [sys.executable, "-P", "-m", "atleastonce.services.mail_server"]
        ports = ["--port", str(self.port), "--control-port", str(self.control_port)]
        return self.folder.process(self.name, [*module, *ports])

    @property
    def url(self) -> str:
        """Where its control API is."""
        return f"http://{self.host}:{self.control_port}"

    @property
    def _control(self) -> Control:
        return Control(self.url, self.folder.secret)

    def ping(self) -> bool:
        """True if it knows this lab's secret; then both of its ports are open."""
        return self._control.answers("/messages")

    def messages(self) -> list[dict[str, Any]]:
        """The mails, oldest first: to, subject, body, and whose message and attempt."""
        found: list[dict[str, Any]] = self._control.call("GET", "/messages")
        return found

    def clear(self) -> None:
        """Forget all mails."""
        self._control.call("DELETE", "/messages")

    def lose_replies(self, n: int = 1) -> None:
        """Accept and keep the next *n* mails, but drop the connection, not ``250``."""
        self._control.call("POST", "/knobs", {"lose_replies": n})

    def delay(self, seconds: float) -> None:
        """Wait so long before a mail is accepted; 0 heals."""
        self._control.call("POST", "/knobs", {"delay": seconds})

    def cut(self) -> None:
        """Close all SMTP connections now."""
        self._control.call("POST", "/cut")
