"""What starts, stops and kills a service: a process of ours, or a container."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Protocol

from atleastonce.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable


class Supervised(Protocol):
    """One service, as its supervisor sees it; ``process.Process`` has the details."""

    @property
    def alive(self) -> bool:
        """False when it has ended, and nobody starts it again."""

    def start(self) -> None:
        """Start it."""

    def kill(self) -> None:
        """End it without a warning."""

    def stop(self, timeout: float = 5.0, number: int = signal.SIGTERM) -> None:
        """Ask it to end; after *timeout* seconds kill it."""

    def freeze(self) -> None:
        """Make it stand still."""

    def thaw(self) -> None:
        """Let it go on."""

    def tail(self, lines: int = 10) -> str:
        """The end of its log."""

    def error(self, what: str) -> ServiceError:
        """The error that says how it ended; *what* is the verb."""


class Revived:
    """A service in a container beside ours: it ends by its protocol, and comes back.

    Its supervisor is the engine's restart policy, which nobody here can stop.

    Args:
        name: the service.
        die: has it end at once.
        end: has it end cleanly.
    """

    alive = True

    def __init__(
        self, name: str, die: Callable[[], None], end: Callable[[], None]
    ) -> None:
        self._name, self._die, self._end = name, die, end

    def start(self) -> None:
        """Nothing: the engine does it."""

    def kill(self) -> None:
        """Have it end at once."""
        self._die()

    def stop(self, timeout: float = 5.0, number: int = signal.SIGTERM) -> None:  # noqa: ARG002 - a protocol knows neither
        """Have it end cleanly."""
        self._end()

    def freeze(self) -> None:
        """Never asked for: see ``modes``."""

    def thaw(self) -> None:
        """Nothing: it never stands still."""

    def tail(self, lines: int = 10) -> str:  # noqa: ARG002 - none is seen from here
        """Where its log is."""
        return f"on the host: docker compose logs {self._name}"

    def error(self, what: str) -> ServiceError:
        """The error that says what it did not do."""
        return ServiceError(
            f"{self._name} {what}.",
            attempt=f"docker compose restart {self._name}, on the host",
        )
