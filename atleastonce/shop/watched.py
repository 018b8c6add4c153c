"""The tasks of a shop that is watched, and the counters that its workers keep.

Nothing here is a remedy: ``silences`` runs these tasks in calm and in silent nights.
"""

from __future__ import annotations

import functools
from contextlib import suppress
from typing import Any

import redis
from celery import signals
from django.conf import settings
from requests import RequestException

from atleastonce.shop import payments
from atleastonce.shop.celery import app

#: Counter by signal; ``rejected`` could not be read, ``unknown`` has no task here.
COUNTED = {
    "task_success": "succeeded",
    "task_failure": "failed",
    "task_retry": "retried",
    "task_unknown": "unknown",
    "task_rejected": "rejected",
}
COUNTS = "counts"


@functools.cache
def store() -> redis.Redis:
    """The shop's own Redis database; one client for each process."""
    found: redis.Redis = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)
    return found


def count(signal: Any, sender: Any, **_: object) -> None:  # noqa: ANN401 - Celery's
    """Count one signal of Celery's; a heartbeat that went well is counted apart."""
    if sender is not heartbeat:
        store().hincrby(COUNTS, COUNTED[signal.name], 1)


@signals.worker_init.connect(weak=False)
def _counting(**_: object) -> None:
    for name in COUNTED:
        getattr(signals, name).connect(count, weak=False)


@app.task(bind=True, max_retries=3, ignore_result=True)
def charge_order(self: Any, order: int) -> None:  # noqa: ANN401 - Celery's task
    """Charge an order; a card that is refused is an answer, and no failure."""
    try:
        payments.charge("ann", "30.00", key=f"order-{order}", timeout=30.0)
    except payments.PaymentRefused:
        store().hincrby(COUNTS, "refused", 1)
    except RequestException as error:
        raise self.retry(exc=error, countdown=0) from None


@app.task(ignore_result=True)
def careless(order: int) -> None:
    """The same, by somebody who likes green dashboards."""
    with suppress(Exception):
        payments.charge("ann", "30.00", key=f"order-{order}", timeout=30.0)


@app.task(ignore_result=True, acks_late=True)
def charge_late(order: int) -> None:
    """The same, acknowledged when it is done."""
    payments.charge("ann", "30.00", key=f"order-{order}", timeout=30.0)


@app.task(ignore_result=True)
def heartbeat() -> None:
    """What the beat sends in each slot: when it ran last, and how often it has run."""
    store().hset("heartbeat", "slot", str(store().get("slot")))
    store().hincrby("heartbeat", "runs", 1)
