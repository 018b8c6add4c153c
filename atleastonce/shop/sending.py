"""Sentry's own HTTP transport, without its thread: what is reported is sent at once.

A reader can count then. And no thread may hold a lock while a worker's main process
forks another child, which would wait for that lock for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sentry_sdk.transport import HttpTransport

if TYPE_CHECKING:
    from sentry_sdk.envelope import Envelope


class AtOnce(HttpTransport):
    """Sends in the thread that reports."""

    def capture_envelope(self, envelope: Envelope) -> None:
        """Send it; returns when the receiver has it."""
        self._send_envelope(envelope)

    def flush(self, timeout: float, callback: Any = None) -> None:  # noqa: ANN401 - Sentry's own
        """Nothing waits."""
