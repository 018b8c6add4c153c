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

from atleastonce.errors import FaultError
from atleastonce.eventlog import EventLog
from atleastonce.workers.broker import Broker

if TYPE_CHECKING:
    from atleastonce.settings import Addresses


def redeliver(addresses: Addresses, message: str) -> None:
    """Put the unacked *message* back at the head of its queue.

    A worker that still holds it is not asked: it goes on, and another copy starts,
    which is what a visibility timeout shorter than the task does.

    Args:
        addresses: the lab's.
        message: its task id.

    Raises:
        FaultError: the message is not unacked.
    """
    broker = Broker(addresses)
    try:
        unacked, queues = broker.unacked(), broker.queues()
    finally:
        broker.close()
    tags = [tag for tag, found in unacked.items() if found == message]
    if not tags:
        raise FaultError(
            f"Message {message} is not unacked: there is nothing to redeliver.",
            seen=f"{len(unacked)} unacked",
        )
    EventLog(addresses.events).write("broker", "restore", message=message)
    with Connection(addresses.redis_url(0)) as connection:
        channel = connection.default_channel
        for name in queues:
            # kombu finds the way back through declarations of this process.
            Queue(name, Exchange(name), routing_key=name)(channel).declare()
        for tag in tags:
            channel.qos.restore_by_tag(tag)
