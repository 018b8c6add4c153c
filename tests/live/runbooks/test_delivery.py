"""Runbooks 01 to 03, each in the state that it is for: twice, never, for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.faults import kill

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.lab import Lab
    from tests.live.runbooks.conftest import Operator

pytestmark = pytest.mark.live

ONE = "w1@lab"
TWO = "w1@lab,w2@lab"
#: The first charges again whenever it runs again, the second once for each order.
CHARGES = """
from atleastonce.shop import payments
from atleastonce.shop.models import ChargeLog, Order

late = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(name="shop.twice", **late)
def twice(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, timeout=60)
    ChargeLog.objects.create(order=order)
    order.status = "paid"
    order.save()  # twice


@app.task(name="shop.charge", **late)
def once(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=f"order-{order_id}")
    order.status = "paid"
    order.save()  # once
"""
STORMS = """
import os
import signal

import redis
from django.conf import settings
from requests import RequestException

from atleastonce.shop import payments

store = redis.Redis.from_url(settings.REDIS_URL)


@app.task(name="shop.charge")
def charge(order_id):
    try:
        payments.charge("ann", "30.00", key=f"order-{order_id}")
    except RequestException:
        charge.delay(order_id)


@app.task(name="shop.parse", acks_late=True, reject_on_worker_lost=True)
def parse(name):
    if name == "poison.pdf" and not store.exists("mended"):
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_01_done_twice(
    lab: Lab,
    operator: Operator,
    anew: Callable[[], None],
    orders: Callable[[int], None],
) -> None:
    charge: Any = lab.load_tasks("runbook_charges", CHARGES)["twice"]
    operator.opens("01-duplicates")
    operator.env["WORKERS"] = TWO

    orders(2)
    lab.worker(2)
    charge.delay(1)
    lab.wait()
    lab.gateway.knobs(hang=True)
    charge.delay(2)
    lab.wait(lambda: len(lab.gateway.requests()) == 2)
    operator.sees("healthy")

    anew()
    orders(3)
    lab.worker()
    with lab.strike(kill(before="order.save()  # twice")):
        charge.delay(1)
    lab.wait()
    lab.gateway.knobs(hang=True)
    message = charge.delay(2)
    lab.wait(lambda: len(lab.gateway.requests()) == 3)
    lab.worker()
    lab.redeliver(message)
    lab.wait(lambda: len(lab.gateway.requests()) == 4)
    operator.sees("trouble")

    lab.gateway.knobs()
    operator.acts("Stop the bleeding")
    charge.delay(3)
    lab.wait(lambda: lab.world()["queue"] == 1)
    assert len(lab.gateway.charges()) == 4
    operator.acts("Mend")
    lab.wait()
    assert len(lab.gateway.charges()) == 5
    assert lab.world()["orders paid"] == 3
    operator.is_done()


def test_02_accepted_and_never_done(
    lab: Lab,
    operator: Operator,
    anew: Callable[[], None],
    orders: Callable[[int], None],
) -> None:
    charge: Any = lab.load_tasks("runbook_charges", CHARGES)["once"]
    operator.opens("02-loss")

    with lab.redis.configured(appendonly="yes"):
        operator.env["WORKERS"] = ONE
        orders(1)
        lab.worker()
        charge.delay(1)
        lab.wait()
        operator.sees("healthy")

    anew()
    # At the end of the block what the page has switched on is off again.
    with lab.redis.configured(appendonly="no"):
        operator.env["WORKERS"] = "w2@lab"
        orders(2)
        charge.delay(1)
        lab.redis.crash()
        lab.worker()
        with lab.strike(kill("worker", before="order.save()  # once")):
            charge.delay(2)
        lab.worker()
        operator.sees("trouble")

        operator.acts("Stop the bleeding")
        operator.acts("Mend")
    assert len(lab.gateway.charges()) == lab.world()["orders paid"] == 2
    operator.is_done()


def test_03_it_feeds_itself(
    lab: Lab, operator: Operator, anew: Callable[[], None]
) -> None:
    tasks: Any = lab.load_tasks("runbook_storms", STORMS)
    charge, parse = tasks["charge"], tasks["parse"]
    operator.opens("03-infinite-retry")
    operator.env |= {"WORKER": ONE, "WORKERS": ONE}

    worker: Any = lab.worker()
    operator.env["WORKER_LOG"] = str(worker._log)
    charge.delay(1)
    parse.delay("a.pdf")
    lab.wait()
    operator.sees("healthy")

    anew()
    lab.gateway.knobs(status=500)
    worker = lab.worker()
    charge.delay(1)
    parse.delay("poison.pdf")
    lab.wait(lambda: worker.log(9999).count("exited with 'signal") > 3)
    lab.wait(lambda: len(lab.gateway.requests()) > 3)
    operator.sees("trouble")

    operator.acts("Stop the bleeding")
    asked = len(lab.gateway.requests())
    parse.delay("b.pdf")
    lab.wait()
    assert len(lab.gateway.requests()) == asked
    lab.gateway.knobs()
    lab.redis.client(2).set("mended", 1)
    operator.acts("Mend")
    lab.wait()
    assert len(lab.gateway.charges()) == 1
    assert lab.world()["queue"] == 0
    operator.is_done()
