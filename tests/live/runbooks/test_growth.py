"""Runbooks 06 and 10, each in the state that it is for: no memory, no room in Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.neighbour import refused
from atleastonce.weight import copied, in_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.lab import Lab
    from tests.live.runbooks.conftest import Operator

pytestmark = pytest.mark.live

ONE = "w1@lab"
GROWS = """
kept = []


@app.task(name="shop.thumbnail")
def thumbnail(mib, keep):
    data = bytearray(b"1") * (mib * 2**20)
    if keep:
        kept.append(data)


@app.task(name="shop.remind")
def remind(text):
    pass
"""
PAYS = """
from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(name="shop.charge")
def charge(order_id):
    payments.charge("ann", "30.00", key=f"order-{order_id}")
    Order.objects.filter(pk=order_id).update(status="paid")
"""


def test_06_it_only_grows(
    lab: Lab, operator: Operator, anew: Callable[[], None]
) -> None:
    tasks: Any = lab.load_tasks("runbook_grows", GROWS)
    thumbnail = tasks["thumbnail"]
    operator.opens("06-leaks")
    operator.env["WORKER"] = ONE

    _on_call_for(lab.worker(), operator)
    for _ in range(6):
        thumbnail.delay(20, keep=False)
    lab.wait()
    operator.sees("healthy")

    anew()
    worker: Any = lab.worker()
    _on_call_for(worker, operator)
    for _ in range(6):
        thumbnail.delay(40, keep=True)
    lab.wait()
    for _ in range(40):
        tasks["remind"].apply_async(["x" * 400_000], countdown=3600)
    lab.wait(lambda: lab.world()["unacked"] == 40)
    operator.sees("trouble")

    operator.acts("Stop the bleeding")
    assert worker.wait_exit() == 0
    assert (lab.world()["queue"], lab.world()["unacked"]) == (40, 0)
    lab.redis.client().delete("celery")
    _on_call_for(lab.worker(worker_max_memory_per_child=200_000), operator)
    for _ in range(8):
        thumbnail.delay(40, keep=True)
    lab.wait()
    operator.acts("Mend")
    operator.is_done()


def _on_call_for(worker: Any, operator: Operator) -> None:  # noqa: ANN401 - a Worker
    operator.env["WORKER_PID"] = str(worker.pid)
    operator.env["WORKER_LOG"] = str(worker._log)


def test_10_no_room(
    lab: Lab,
    operator: Operator,
    anew: Callable[[], None],
    orders: Callable[[int], None],
) -> None:
    charge: Any = lab.load_tasks("runbook_pays", PAYS)["charge"]
    operator.opens("10-result-bloat")
    lab.redis.client().config_resetstat()

    orders(2)
    _on_call_for(lab.worker(), operator)
    for order in (1, 2):
        charge.delay(order)
    lab.wait()
    with lab.redis.configured(maxmemory="100mb"):
        operator.sees("healthy")

    anew()
    worker = _results_for_ever(lab, charge)
    _on_call_for(worker, operator)
    orders(2)
    worker.freeze()
    for order in (1, 2):
        charge.delay(order)
    full = str(in_use(lab.redis.client()) - 100_000)
    with lab.redis.configured(maxmemory=full, maxmemory_policy="noeviction"):
        assert refused(lambda: charge.delay(2), 1) == 1
        worker.thaw()
        lab.wait(lambda: not worker.alive)
        operator.sees("trouble")

        operator.acts("Stop the bleeding")
        lab.worker()
        lab.wait()
        operator.acts("Mend")
    lab.wait()
    assert len(lab.gateway.charges()) == 1
    operator.is_done()


def _results_for_ever(lab: Lab, charge: Any) -> Any:  # noqa: ANN401 - a task, a Worker
    """A worker whose results have no expiry, and five thousand of them."""
    worker = lab.worker(result_expires=None)
    message = charge.delay(0)
    lab.wait()
    results = lab.redis.client(1)
    copied(results, str(results.get(f"celery-task-meta-{message.id}")), 5_000)
    lab.gateway.clear()
    return worker
