"""RabbitMQ as the broker of a lab: in a lesson beside Redis, and under faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.errors import FaultError, ServiceError, Unsupported
from atleastonce.faults import Fault, cut, kill, lose_reply
from atleastonce.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_rabbitmq")]
TASKS = """
from atleastonce.shop import payments

@app.task(acks_late=True, reject_on_worker_lost=True)
def charge(amount):
    payments.charge("ann", amount)

@app.task(acks_late=True, reject_on_worker_lost=True)
def publish():
    charge.delay(1)

@app.task(bind=True, acks_late=True)
def reject(self):
    from celery.exceptions import Reject
    raise Reject("unwanted", requeue=False)
"""
#: What ``celery`` rejects goes to ``dead``.
DEAD_LETTERS = """
rabbit_policy:set(<<"/">>, <<"dead">>, <<"^celery$">>, [
    {<<"dead-letter-exchange">>, <<>>}, {<<"dead-letter-routing-key">>, <<"dead">>}
], 0, <<"queues">>, <<"test">>)
"""


@pytest.fixture(scope="module")
def opened() -> Iterator[Lab]:
    with Lab("rabbit", rabbitmq=True) as lab:
        lab.load_tasks("rabbit_tasks", TASKS)
        yield lab


@pytest.fixture
def lab(opened: Lab) -> Lab:
    opened.use("rabbitmq")
    opened.reset()
    return opened


def task(lab: Lab, name: str) -> Any:  # noqa: ANN401 - a Celery task
    return getattr(lab.modules["rabbit_tasks"].module, name)


def kinds(lab: Lab) -> list[str]:
    return [e.kind for e in lab.timeline().events if e.kind not in ("ready", "exit")]


ONCE = ["publish", "deliver", "start", "effect", "finish", "ack"]


def test_a_task_goes_through_rabbitmq_and_back_through_redis(lab: Lab) -> None:
    task(lab, "charge").delay(1)
    assert (lab.world()["queue"], lab.rabbitmq.queues()["celery"].ready) == (1, 1)
    assert lab.redis.client().llen("celery") == 0
    lab.worker()
    lab.wait()
    through_rabbitmq = kinds(lab)
    assert lab.world()["queue"] == lab.world()["unacked"] == 0
    lab.reset()
    lab.use("redis")
    task(lab, "charge").delay(1)
    assert lab.redis.client().llen("celery") == 1
    assert lab.rabbitmq.queues() == {}
    lab.worker()
    lab.wait()
    assert kinds(lab) == through_rabbitmq == ONCE


def test_another_broker_ends_the_workers_and_keeps_its_messages(lab: Lab) -> None:
    worker = lab.worker()
    task(lab, "charge").apply_async((2,), queue="later")
    lab.use("redis")
    assert not worker.alive
    lab.wait()
    lab.use("rabbitmq")
    assert lab.rabbitmq.queues()["later"].ready == 1


def test_an_unknown_broker_changes_nothing(lab: Lab) -> None:
    with pytest.raises(ServiceError, match="no broker 'kafka'"):
        lab.use("kafka")
    assert lab.services.addresses.broker == "rabbitmq"


def test_a_reset_leaves_no_queue_and_the_app_declares_it_again(lab: Lab) -> None:
    task(lab, "charge").delay(1)
    lab.reset()
    assert lab.rabbitmq.queues() == {}
    task(lab, "charge").delay(1)
    assert lab.rabbitmq.queues()["celery"].ready == 1


def test_a_killed_worker_s_message_is_delivered_again_by_the_broker(lab: Lab) -> None:
    lab.worker()
    with lab.strike(kill("worker", after="charge")):
        task(lab, "charge").delay(1)
    lab.worker()
    lab.wait()
    charges = [e.attempt for e in lab.timeline().events if e.kind == "effect"]
    assert charges == [1, 2]


def test_to_redeliver_by_hand_is_not_supported(lab: Lab) -> None:
    with pytest.raises(Unsupported, match="connection"):
        lab.redeliver("m1")


@pytest.mark.parametrize("broker", ["redis", "rabbitmq"])
def test_a_worker_that_lost_its_broker_answers_again(lab: Lab, broker: str) -> None:
    lab.use(broker)
    worker = lab.worker()
    task(lab, "charge").delay(1)
    lab.wait()
    getattr(lab, broker).restart()
    task(lab, "charge").delay(2)
    lab.wait(timeout=30)  # Celery tries again after 2 s, then 4
    assert worker.alive
    assert len(lab.gateway.charges()) == 2
    # And it still notices at once that a child died.
    with lab.strike(kill(after="charge")):
        task(lab, "charge").delay(3)
    lab.wait()
    assert len(lab.gateway.charges()) == 4


def test_a_dead_letter_rests_and_does_not_keep_the_workers_from_being_quiet(
    lab: Lab,
) -> None:
    with lab.rabbitmq.connect() as connection, connection.channel() as channel:
        channel.queue_declare("dead", durable=True, auto_delete=False)
    lab.rabbitmq.evaluate(DEAD_LETTERS)
    lab.worker()
    task(lab, "reject").delay()
    lab.wait()
    assert lab.rabbitmq.queues()["dead"].ready == 1
    assert lab.world()["queue"] == 1
    lab.rabbitmq.evaluate('rabbit_policy:delete(<<"/">>, <<"dead">>, <<"test">>)')


@pytest.mark.parametrize(
    ("fault", "confirm", "charges"),
    [
        (lose_reply("publish"), True, 2),  # RabbitMQ has it, and kombu sends it again
        (cut("publish"), True, 1),  # RabbitMQ has nothing, and kombu sends it again
        (cut("publish"), False, 0),  # nobody waits for a reply: lost without an error
    ],
)
def test_a_message_that_is_struck_on_its_way_to_rabbitmq(
    *, lab: Lab, fault: Fault, confirm: bool, charges: int
) -> None:
    lab.use("rabbitmq", confirm_publish=confirm)
    with lab.strike(fault):
        task(lab, "charge").delay(1)
    lab.worker()
    lab.wait()
    assert len(lab.gateway.charges()) == charges


def test_an_unconfirmed_message_has_no_reply_to_lose(lab: Lab) -> None:
    lab.use("rabbitmq", confirm_publish=False)
    with (
        pytest.raises(FaultError, match="Never struck"),
        lab.strike(lose_reply("publish")),
    ):
        task(lab, "charge").delay(1)


def test_a_reset_keeps_how_messages_are_published(lab: Lab) -> None:
    lab.use("rabbitmq", confirm_publish=False)
    lab.reset()
    assert lab.app.conf.broker_transport_options == {"confirm_publish": False}


@pytest.mark.parametrize(
    ("fault", "charges"),
    [(kill(after="amqp"), 2), (kill(before="amqp"), 1), (lose_reply("amqp"), 2)],
)
def test_a_message_that_a_task_publishes_is_an_effect(
    lab: Lab, fault: Fault, charges: int
) -> None:
    lab.worker()
    with lab.strike(fault):
        task(lab, "publish").delay()
    lab.wait()
    assert len(lab.gateway.charges()) == charges


def test_the_broker_counts_what_a_worker_holds_for_later(lab: Lab) -> None:
    lab.worker()
    task(lab, "charge").apply_async((1,), countdown=1)
    assert lab.world()["charges"] == 0
    lab.wait()
    assert lab.world()["charges"] == 1
