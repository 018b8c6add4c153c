"""Connects every witness that a worker has: Celery's signals, and Sentry's real SDK."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import redis
from celery import signals
from django.conf import settings

if TYPE_CHECKING:
    from celery import Celery

#: The Redis list of what was heard, such as ``failure (main)``.
HEARD = "heard"
#: Celery's signals for the end of a task, or of a message.
ENDS = (
    *("success", "failure", "retry", "revoked"),
    *("rejected", "unknown", "internal_error"),
)
_connected: list[bool] = []


def hear(app: Celery) -> None:
    """Have workers note each of those signals, and report to ``app.conf.sentry_dsn``.

    Each process sends its report at once, so that a reader can count.
    """
    if not _connected:
        _connected.append(True)
        signals.worker_init.connect(lambda **_: _begin(app), weak=False)


def _begin(app: Celery) -> None:
    import sentry_sdk  # noqa: PLC0415 - slow to import, and for workers only
    from sentry_sdk.integrations.modules import ModulesIntegration  # noqa: PLC0415

    from atleastonce.shop.sending import AtOnce  # noqa: PLC0415

    # Each process would list all that is installed here, which takes a second.
    slow = [ModulesIntegration()]
    sentry_sdk.init(
        dsn=app.conf.sentry_dsn, transport=AtOnce, disabled_integrations=slow
    )
    main, store = os.getpid(), redis.Redis.from_url(settings.REDIS_URL)

    def note(signal: Any, **_: object) -> None:  # noqa: ANN401 - Celery's Signal
        where = "main" if os.getpid() == main else "child"
        store.rpush(HEARD, f"{signal.name.removeprefix('task_')} ({where})")

    for name in ENDS:
        getattr(signals, f"task_{name}").connect(note, weak=False)
