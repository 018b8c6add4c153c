"""Striking: arm faults of both kinds for a block, and see that each has struck."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from atleastonce.errors import WaitTimeout
from atleastonce.publishing import Publishing
from atleastonce.workers.arming import Armed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from celery import Celery

    from atleastonce.faults import Fault
    from atleastonce.workers.fleet import Fleet

#: Seconds in which the workers must have come to where a fault strikes.
PATIENCE = 10.0


@contextmanager
def strike(app: Celery, fleet: Fleet, *faults: Fault) -> Iterator[None]:
    """Messages that *app* publishes in the block carry *faults*.

    It ends when all have struck, or when *fleet* has nothing left to do.

    Raises:
        FaultError: one did not strike.
    """
    points = [fault for fault in faults if not fault.in_producer]
    producers = [fault for fault in faults if fault.in_producer]
    with (
        Armed(app, fleet.addresses, *points) as armed,
        Publishing(app, fleet.addresses, *producers) as publishing,
    ):
        yield
    publishing.require()
    with suppress(WaitTimeout):
        fleet.quiet(PATIENCE, unless=lambda: len(armed.struck) == len(points))
    armed.require()
