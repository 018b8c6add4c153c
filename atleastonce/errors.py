"""Every error the package raises on purpose.

AtLeastOnceError
├── SettingsError        an environment variable holds what we can't use
├── ServiceError         a live service did not start, answer or stop
│   ├── NoService        what a lesson needs is not on this machine
│   └── Unsupported      this mode can't do that fault to that service
├── WorkerError          a worker did not start, or ended on its own
├── WaitTimeout          a condition did not come true by its deadline
├── TasksError           a ``%%tasks`` cell can't be used
├── FaultError           a fault could not be struck, or did not strike
├── ExploreError         a search or a sweep can't be believed: its own fault
├── ProjectError         a project of one's own can't be worked on
├── GradingError         a lab could not be graded
└── NotAttempted         the answer is still the stub
AssertionError
└── ClaimBroken          the evidence contradicts a claim
"""

from __future__ import annotations


class AtLeastOnceError(Exception):
    """Something of the course failed: what, the last thing seen, what to try.

    Args:
        what: what failed, with names and numbers; one sentence.
        seen: the last thing seen, such as the end of a log.
        attempt: one command or action; printed after ``Try:``.
    """

    def __init__(self, what: str, *, seen: str = "", attempt: str = "") -> None:
        self.what, self.seen, self.attempt = what, seen, attempt
        super().__init__(what)

    def __str__(self) -> str:
        """The three parts, each on a line of its own."""
        parts = [self.what]
        if self.seen:
            parts.append(f"Last seen: {self.seen}")
        if self.attempt:
            parts.append(f"Try: {self.attempt}")
        return "\n".join(parts)


class SettingsError(AtLeastOnceError):
    """An environment variable holds what we can't use."""


class ServiceError(AtLeastOnceError):
    """A live service did not start, answer or stop."""


class NoService(ServiceError):
    """What a lesson needs is not on this machine."""


class Unsupported(ServiceError):
    """This mode can't do that fault to that service."""


class WorkerError(AtLeastOnceError):
    """A worker did not start, or ended on its own."""


class WaitTimeout(AtLeastOnceError):
    """A condition did not come true by its deadline."""


class TasksError(AtLeastOnceError):
    """A ``%%tasks`` cell can't be used."""


class FaultError(AtLeastOnceError):
    """A fault could not be struck, or did not strike."""

    def _render_traceback_(self) -> list[str]:
        return _one_line(self)


class ExploreError(AtLeastOnceError):
    """A search or a sweep can't be believed, or its target can't be explored."""


class ProjectError(AtLeastOnceError):
    """A project of one's own can't be imported, or leads elsewhere."""


class GradingError(AtLeastOnceError):
    """A lab could not be graded."""


class NotAttempted(AtLeastOnceError):
    """The answer is still the stub."""

    def _render_traceback_(self) -> list[str]:
        return _one_line(self)


class ClaimBroken(AssertionError):
    """The evidence contradicts a claim."""

    def _render_traceback_(self) -> list[str]:
        return _one_line(self)


def _one_line(error: Exception) -> list[str]:
    # IPython prints this in place of a traceback: the verdict above says it all.
    return [f"{type(error).__name__}: {error}"]
