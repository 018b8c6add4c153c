"""What every live service can do; its subclasses say how one is started."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from atleastonce.errors import ServiceError, Unsupported, WaitTimeout
from atleastonce.modes import why_not
from atleastonce.services.ports import HOST, free_port, is_free
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from atleastonce.services.folder import LabFolder
    from atleastonce.services.supervised import Supervised

VERBS = frozenset({"crash", "freeze", "thaw", "cut", "restart", "stop", "start"})
#: Another port is tried when the one we found was taken in the meantime.
TRIES = 5
#: Seconds; a start takes well under one, but all cores may be busy.
PATIENCE = 30.0


class Service(ABC):
    """A live service that can be struck; embedded: of one lab, on loopback.

    Attributes:
        host, port: where it is.
        mode: where it comes from, as in ``settings.MODES``.

    Args:
        folder: the lab it belongs to.
        port: a fixed port; 0: any free one.
    """

    name: ClassVar[str]
    host = HOST
    mode = "embedded"
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, folder: LabFolder, *, port: int = 0) -> None:
        self.folder, self._fixed_port, self._was_up = folder, port, False
        self._choose_ports()
        self.process = self._command()

    def _choose_ports(self) -> None:
        """Find new ports for a first start; later starts keep them."""
        self.port = self._fixed_port or free_port()

    @abstractmethod
    def _command(self) -> Supervised:
        """What to start, for the present port."""

    @abstractmethod
    def ping(self) -> bool:
        """True if it answers its own client, with this lab's secret."""

    @abstractmethod
    def cut(self) -> None:
        """Close all client connections now; clients may connect again at once."""

    def start(self, timeout: float = PATIENCE) -> None:
        """Start it, and return when it answers; *timeout* in seconds.

        Raises:
            ServiceError: it can't be started, or its port is taken.
        """
        self._check_port()
        for _ in range(TRIES):
            self.process = self._command()
            self.process.start()
            if self._answers(timeout):
                break
            if not self._taken() or self._fixed_port or self._was_up:
                raise self.process.error("did not start")
            self._choose_ports()
        else:
            raise self.process.error(f"did not start on {TRIES} ports")
        self._was_up = True

    def _answers(self, timeout: float) -> bool:
        """True when it answers, False when its process has ended."""
        wait_until(
            lambda: self.ping() or not self.process.alive,
            timeout=timeout,
            what=f"{self.name} to answer",
            seen=self.process.tail,
            attempt="atleastonce doctor",
        )
        return self.process.alive

    def _taken(self) -> bool:
        return "ddress already in use" in self.process.tail()

    def _check_port(self) -> None:
        try:
            # A killed lab's service holds a fixed port until its reaper is done.
            wait_until(
                lambda: is_free(self.port) or not self._fixed_port,
                timeout=3.0,
                what=f"port {self.port}",
            )
        except WaitTimeout:
            raise ServiceError(
                f"{self.name} can't start: port {self.port} is taken "
                "by another program.",
                attempt=f"unset ATLEASTONCE_{self.name.upper()}_PORT",
            ) from None

    def wait_ready(self, timeout: float = PATIENCE) -> None:
        """Return when it answers.

        Raises:
            ServiceError: its process has ended.
            WaitTimeout: no answer after *timeout* seconds.
        """
        if not self._answers(timeout):
            raise self.process.error("has ended")

    def crash(self) -> None:
        """SIGKILL, then a new process on the same port; returns when it answers.

        It comes back with what its configuration keeps on disk.

        Raises:
            Unsupported: not in this mode; so do the other verbs, see ``supports``.
        """
        self._require("crash")
        self.process.kill()
        self.disconnect()
        self.start()

    def restart(self) -> None:
        """A clean stop, then a new process on the same port."""
        self._require("restart")
        self._end()
        self.start()

    def stop(self) -> None:
        """A clean stop; what does not end in 5 s is killed."""
        self._require("stop")
        self._end()

    def _end(self) -> None:
        self.process.stop(number=self.stop_signal)
        self.disconnect()

    def disconnect(self) -> None:  # noqa: B027 - most handles hold none
        """Close the connections that our own handle holds, if it holds any."""

    def freeze(self) -> None:
        """Make it stand still: connections stay open, nothing is answered."""
        self._require("freeze")
        self.process.freeze()

    def thaw(self) -> None:
        """End a freeze; what was sent meanwhile is answered now."""
        self.process.thaw()

    def supports(self, verb: str) -> bool:
        """True if this service can do *verb*, such as ``cut``, in this mode."""
        return verb in VERBS and not self.why_not(verb)

    def why_not(self, verb: str) -> str:
        """Why this mode can't do *verb* to this service; "" when it can."""
        return why_not(self.mode, self.name, verb)

    def _require(self, verb: str) -> None:
        if reason := self.why_not(verb):
            raise Unsupported(
                f"{self.name} can't {verb} in the mode {self.mode}: {reason}.",
                attempt="ATLEASTONCE_MODE=embedded, where each lab has its own",
            )

    def logs(self, lines: int = 10) -> str:
        """The last *lines* of its log."""
        return self.process.tail(lines)
