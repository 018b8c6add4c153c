"""Waiting for a condition; the only module that sleeps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from atleastonce.errors import WaitTimeout
from atleastonce.settings import patience

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Deadline:
    """A moment on the monotonic clock, *timeout* seconds from now."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.at = time.monotonic() + timeout

    @property
    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.at - time.monotonic())

    @property
    def expired(self) -> bool:
        """True once no time is left."""
        return time.monotonic() >= self.at


def pause(seconds: float) -> None:
    """Sleep; for polling, and for faults that are made of time."""
    time.sleep(seconds)


def wait_until(
    probe: Callable[[], T],
    *,
    timeout: float,
    what: str,
    seen: Callable[[], str] | None = None,
    attempt: str = "",
    interval: float = 0.005,
) -> T:
    """Poll *probe* until it returns something truthy, and return that.

    Args:
        probe: called every *interval* seconds, at least twice; its errors pass through.
        timeout: seconds until WaitTimeout.
        what: names the condition in the error: "waited 5 s for <what>".
        seen: describes the last thing seen; called once, for the error.
        attempt: the error's ``Try:``.
        interval: seconds between two looks.

    Raises:
        WaitTimeout: the condition did not come true in time.
    """
    deadline = Deadline(timeout)
    while not (value := probe()):
        if deadline.expired:
            # A look after the deadline: on a loaded machine the last one is old.
            if value := probe():
                return value
            raise WaitTimeout(
                f"Waited {timeout:g} s for {what}; it did not come.",
                seen=seen() if seen else repr(value),
                attempt=attempt,
            )
        pause(interval)
    return value


def wait_patiently(
    probe: Callable[[], T], *, timeout: float, what: str, seen: Callable[[], str]
) -> T:
    """``wait_until`` for what is expected: ``ATLEASTONCE_PATIENCE`` times as long."""
    return wait_until(probe, timeout=timeout * patience(), what=what, seen=seen)
