"""Runbooks 08 and 09, each in the state that it is for: nothing said, nothing known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.lab import Lab
    from tests.live.runbooks.conftest import Operator

pytestmark = pytest.mark.live

ONE = "w1@lab"
#: A queue that nobody takes from, as the page has it.
TYPO = "chrages"
#: How RabbitMQ's tools find a node that is not the machine's own.
WHERE = ("HOME", "RABBITMQ_NODENAME", "ERL_EPMD_PORT", "ERL_EPMD_ADDRESS")
SWALLOWS = """
from atleastonce.shop import payments
from atleastonce.shop.models import Order


@app.task(name="shop.charge")
def charge(order_id):
    order = Order.objects.get(pk=order_id)
    try:
        payments.charge(order.customer, order.amount, key=f"order-{order_id}")
    except Exception:
        return
    order.status = "paid"
    order.save()
"""
OLD = """
from django.core.mail import send_mail


@app.task(name="shop.mail")
def mail(email):
    send_mail("Your order", "", None, [email])


@app.task(name="shop.tell")
def tell():
    send_mail("It is on its way", "", None, ["ann@example.com"])
"""
NEW = """
from django.core.mail import send_mail


@app.task(name="shop.mail")
def mail(email, subject):
    send_mail(subject, "", None, [email])


@app.task(name="shop.letters.tell")
def tell():
    send_mail("It is on its way", "", None, ["ann@example.com"])
"""


def test_08_all_green(
    lab: Lab,
    operator: Operator,
    anew: Callable[[], None],
    orders: Callable[[int], None],
) -> None:
    charge: Any = lab.load_tasks("runbook_swallows", SWALLOWS)["charge"]
    operator.opens("08-silent-failure")
    operator.env |= {"WORKER": ONE, "WORKERS": ONE}

    orders(2)
    worker: Any = lab.worker()
    operator.env["WORKER_LOG"] = str(worker._log)
    for order in (1, 2):
        charge.delay(order)
    lab.wait()
    operator.sees("healthy")

    anew()
    orders(2)
    lab.worker()
    lab.gateway.knobs(status=500)
    charge.delay(2)
    lab.wait()
    lab.gateway.knobs()
    charge.apply_async([1], queue=TYPO)
    operator.sees("trouble")

    operator.acts("Stop the bleeding")
    operator.acts("Mend")
    lab.wait()
    assert len(lab.gateway.charges()) == 2
    operator.is_done()


@pytest.mark.usefixtures("needs_rabbitmq")
def test_08_all_green_on_rabbitmq(
    lab: Lab, operator: Operator, orders: Callable[[int], None]
) -> None:
    charge: Any = lab.load_tasks("runbook_swallows", SWALLOWS)["charge"]
    operator.opens("08-silent-failure", rabbitmq=True)
    node = lab.rabbitmq
    # On a broker's host there is one node, and its tools know where.
    found = node._environment(node._home)
    operator.env |= {name: found[name] for name in WHERE}
    operator.env["PATH"] = f"{node.binary.path.parent}:{operator.env['PATH']}"
    lab.use("rabbitmq")
    lab.reset()

    orders(1)
    lab.worker()
    charge.delay(1)
    lab.wait()
    operator.sees("healthy")

    charge.apply_async([1], queue=TYPO)
    lab.wait(lambda: node.queues()[TYPO].ready == 1)
    operator.sees("trouble")
    lab.use("redis")
    operator.is_done()


def test_09_since_the_deploy(
    lab: Lab, operator: Operator, anew: Callable[[], None]
) -> None:
    old: Any = lab.load_tasks("runbook_old", OLD)
    lab.load_tasks("runbook_new", NEW)
    operator.opens("09-versioning")
    operator.env |= {"WORKER": ONE, "WORKERS": ONE}

    worker: Any = lab.worker(tasks=["runbook_old"])
    operator.env["WORKER_LOG"] = str(worker._log)
    old["mail"].delay("ann@example.com")
    old["tell"].delay()
    lab.wait()
    operator.sees("healthy")

    anew()
    worker = lab.worker(tasks=["runbook_new"])
    operator.env["WORKER_PID"] = str(worker.pid)
    old["mail"].delay("ann@example.com")
    old["tell"].delay()
    late = old["mail"].apply_async(["eve@example.com"], countdown=3600)
    signs = ("unregistered task", "raised unexpected: TypeError")
    lab.wait(lambda: all(sign in worker.log(9999) for sign in signs))
    lab.wait(lambda: lab.world()["unacked"] == 1)
    operator.sees("trouble")

    operator.acts("Stop the bleeding")
    old["mail"].delay("bob@example.com")
    lab.wait(lambda: lab.world()["queue"] == 1)
    lab.worker(tasks=["runbook_old"])
    operator.acts("Mend")
    lab.wait(lambda: len(lab.mail.messages()) == 2)
    lab.wait(lambda: ("w2", "deliver") in _seen_of(lab, late.id))
    operator.is_done()


def _seen_of(lab: Lab, message: str) -> set[tuple[str, str]]:
    """Who did what with the message."""
    timeline = lab.timeline()
    name = timeline.names[message]
    return {(e.lane, e.kind) for e in timeline.events if e.message == name}
