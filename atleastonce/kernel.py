"""What a lab changes in the process that opens it, and puts back when it closes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from atleastonce import shop
from atleastonce.explore import bench
from atleastonce.workers.producer import Producer

if TYPE_CHECKING:
    from contextlib import ExitStack

    from celery import Celery

    from atleastonce.addresses import Addresses
    from atleastonce.services.base import Services
    from atleastonce.workers.fleet import Fleet


def join(services: Services, fleet: Fleet, leave: ExitStack) -> Celery:
    """Django, Celery and ``import`` of this process belong to the lab; returns the app.

    What this process publishes is written to the lab's events. *leave* undoes it all.
    """
    shop.setup(services.addresses)
    from atleastonce.shop import celery  # noqa: PLC0415 - needs Django

    celery.connect(celery.app, services.addresses)
    leave.callback(celery.drop_connections, celery.app)
    leave.callback(Producer(services.events).close)
    sys.path.insert(0, str(fleet.tasks))
    leave.callback(sys.path.remove, str(fleet.tasks))
    leave.callback(bench.use, None)
    return celery.app


def drop(app: Celery) -> None:
    """Have *app* connect, and declare its queues, anew."""
    from atleastonce.shop import celery  # noqa: PLC0415 - needs Django

    celery.drop_connections(app)


def follow(app: Celery, addresses: Addresses, **options: object) -> None:
    """Connect *app* anew, as *addresses* say; *options* are of kombu's transport."""
    from atleastonce.shop import celery  # noqa: PLC0415 - needs Django

    celery.connect(app, addresses, **options)
