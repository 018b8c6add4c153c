"""Faults as a message is published: what the producer sees, what the queue holds."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
from kombu.exceptions import OperationalError

from atleastonce import faults
from atleastonce.errors import FaultError
from atleastonce.lab import Lab
from atleastonce.publishing import Publishing
from atleastonce.striking import strike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.conftest import Bench

#: Of one story; 20 of each were equal when this was written.
RUNS = 5
LOST = "! broker m1 fault reply lost after publish\n"


def queued(bench: Bench) -> list[str]:
    """The task ids of all messages that wait, oldest first."""
    rows: list[Any] = bench.services.redis.client().lrange("celery", 0, -1)
    return [json.loads(row)["headers"]["id"] for row in reversed(rows)]


def publish_struck(bench: Bench, *struck: faults.Fault) -> str:
    """Publish ``charge_order`` under *struck*; returns the task id."""
    order = bench.order()
    with strike(bench.app, bench.fleet, *struck):
        return bench.publish("charge_order", order)


def test_a_lost_reply_to_publish_queues_the_same_message_twice(bench: Bench) -> None:
    message = publish_struck(bench, faults.lose_reply("publish"))
    assert queued(bench) == [message, message]


def test_a_cut_before_publish_queues_the_message_once(bench: Bench) -> None:
    message = publish_struck(bench, faults.cut("publish"))
    assert queued(bench) == [message]
    assert "! broker m1 fault connection cut before publish" in bench.story()


def test_a_message_that_is_queued_twice_is_executed_twice(bench: Bench) -> None:
    bench.start()
    publish_struck(bench, faults.lose_reply("publish"))
    bench.fleet.quiet()
    assert bench.charges == 2
    publish, fault, *rest = bench.story().splitlines()
    assert publish.startswith("producer m1 publish charge_order")
    assert f"{fault}\n" == LOST
    assert rest == [
        "w1 m1 deliver",
        "w1 m1 #1 start",
        "* gateway m1 #1 effect charge 30.00 ann",
        "w1 m1 #1 finish SUCCESS",
        "w1 m1 #1 ack",
        "w1 m1 deliver",
        "w1 m1 #2 start",
        "* gateway m1 #2 effect charge 30.00 ann",
        "w1 m1 #2 finish SUCCESS",
        "w1 m1 #2 ack",
    ]


def test_only_the_message_that_is_meant_is_struck(bench: Bench) -> None:
    with strike(bench.app, bench.fleet, faults.lose_reply("publish", nth=2)):
        first, second, third = (bench.publish("early", n) for n in range(3))
    assert queued(bench) == [first, second, second, third]


def test_two_messages_can_each_have_their_fault(bench: Bench) -> None:
    lost = faults.lose_reply("publish", nth=2)
    with strike(bench.app, bench.fleet, faults.cut("publish"), lost):
        first, second = (bench.publish("early", n) for n in range(2))
    assert queued(bench) == [first, second, second]


def test_both_kinds_of_fault_mix(bench: Bench) -> None:
    """The first copy is killed after its charge, and comes back: three attempts."""
    bench.start()
    publish_struck(bench, faults.lose_reply("publish"), faults.kill(after="charge"))
    bench.fleet.quiet()
    assert bench.charges == 3
    assert LOST in bench.story()
    assert "! w1 m1 #1 fault killed after charge" in bench.story()


def test_after_the_block_messages_go_directly_again(bench: Bench) -> None:
    publish_struck(bench, faults.lose_reply("publish"))
    message = bench.publish("early", 1)
    assert queued(bench).count(message) == 1
    assert bench.app.conf.broker_write_url == bench.app.conf.broker_url
    assert "proxy" not in {thread.name for thread in threading.enumerate()}


def test_a_result_can_be_waited_for_under_the_fault(bench: Bench) -> None:
    bench.start()
    before = bench.module.module.early.delay(bench.order())
    with strike(bench.app, bench.fleet, faults.lose_reply("publish")):
        during = bench.module.module.early.delay(bench.order())
        during.get(timeout=30)
    assert before.get(timeout=30) is None
    assert during.get(timeout=30) is None
    bench.fleet.quiet()


def test_a_broker_that_is_gone_is_the_producers_error(bench: Bench) -> None:
    early = bench.module.module.early
    bench.services.redis.stop()
    try:
        with (
            pytest.raises(OperationalError),
            strike(bench.app, bench.fleet, faults.lose_reply("publish")),
        ):
            early.apply_async((1,), retry=False)
    finally:
        bench.services.redis.start()
    assert bench.app.conf.broker_write_url == bench.app.conf.broker_url
    assert queued(bench) == []


def test_a_fault_that_no_message_met_is_an_error(bench: Bench) -> None:
    with (
        pytest.raises(FaultError, match="Never struck: reply lost after publish"),
        strike(bench.app, bench.fleet, faults.lose_reply("publish", nth=2)),
    ):
        bench.publish("early", 1)
    assert len(queued(bench)) == 1


def test_two_faults_for_one_message_are_refused(bench: Bench) -> None:
    both = faults.cut("publish"), faults.lose_reply("publish")
    with pytest.raises(FaultError, match="Only one fault"):
        Publishing(bench.app, bench.services.addresses, *both)


def test_without_a_fault_nothing_is_rerouted(bench: Bench) -> None:
    with Publishing(bench.app, bench.services.addresses):
        assert bench.app.conf.broker_write_url == bench.app.conf.broker_url
        assert "proxy" not in {thread.name for thread in threading.enumerate()}


TASKS = """
@app.task(acks_late=True)
def charge_order(order_id):
    from atleastonce.shop import payments
    from atleastonce.shop.models import Order
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount)
    order.status = "paid"
    order.save()
"""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab("published twice") as lab:
        lab.load_tasks("published", TASKS)
        yield lab


@pytest.mark.parametrize(
    "worker_first", [True, False], ids=["worker first", "queue first"]
)
def test_a_lab_tells_it_in_the_same_bytes_every_time(
    lab: Lab, *, worker_first: bool
) -> None:
    stories = {tell(lab, worker_first=worker_first) for _ in range(RUNS)}
    assert len(stories) == 1, "\n---\n".join(stories)


def tell(lab: Lab, *, worker_first: bool) -> str:
    """One run from an empty world; its timeline."""
    from atleastonce.shop.models import Order  # noqa: PLC0415 - needs Django

    lab.reset()
    order = Order.objects.create(customer="ann", amount=30)
    if worker_first:
        lab.worker()
    with lab.strike(faults.lose_reply("publish")):
        lab.modules["published"].module.charge_order.delay(order.pk)
    if not worker_first:
        assert lab.world() == {
            "charges": 0,
            "mails": 0,
            "orders paid": 0,
            "queue": 2,
            "unacked": 0,
        }
        lab.worker()
    lab.wait()
    assert lab.world()["charges"] == 2
    assert lab.world()["orders paid"] == 1
    return str(lab.timeline())
