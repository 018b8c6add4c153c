"""Redelivery of one message, through kombu's own code.

Redis has no consumers to miss: kombu keeps each delivered message in the hash
``unacked`` and puts it back when the visibility timeout is over, by default after an
hour. ``redeliver`` makes the same call for one message, now: ``QoS.restore_by_tag``
(kombu 5.7, kombu/transport/redis.py). Messages of other workers stay where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kombu.connection import Connection
from kombu.entity import Exchange, Queue

from atleastonce.errors import FaultError, Unsupported
from atleastonce.eventlog import EventLog
from atleastonce.workers.broker import RedisBroker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atleastonce.addresses import Addresses


def redeliver(addresses: Addresses, message: str, queues: Sequence[Queue] = ()) -> None:
    """Put the unacked *message* back at the head of its queue.

    A worker that still holds it is not asked: it goes on, and another copy starts,
    which is what a visibility timeout shorter than the task does.

    Args:
        addresses: the lab's.
        message: its task id.
        queues: those that are declared in another way than by their name alone.

    Raises:
        FaultError: the message is not unacked.
        Unsupported: the lab uses RabbitMQ, which has no visibility timeout.
    """
    if addresses.broker == "rabbitmq":
        raise Unsupported(
            "RabbitMQ delivers an unacked message again when the connection of its "
            "worker is closed, and not before.",
            attempt="worker.kill(), or lab.rabbitmq.cut()",
        )
    broker = RedisBroker(addresses)
    try:
        unacked, names = broker.backlog().kept, broker.queues()
    finally:
        broker.close()
    tags = [tag for tag, found in unacked.items() if found == message]
    if not tags:
        raise FaultError(
            f"Message {message} is not unacked: there is nothing to redeliver.",
            seen=f"{len(unacked)} unacked",
            attempt='lab.wait(lambda: lab.world()["unacked"]) before it',
        )
    EventLog(addresses.events).write("broker", "restore", message=message)
    known = {queue.name: queue for queue in queues}
    _restore(addresses, tags, [known.get(name, _by_name(name)) for name in names])


def _by_name(name: str) -> Queue:
    return Queue(name, Exchange(name), routing_key=name)


def _restore(addresses: Addresses, tags: list[str], queues: list[Queue]) -> None:
    with Connection(addresses.redis_url(0)) as connection:
        channel = connection.default_channel
        for queue in queues:
            # kombu finds the way back through declarations of this process.
            queue(channel).declare()
        for tag in tags:
            channel.qos.restore_by_tag(tag)
