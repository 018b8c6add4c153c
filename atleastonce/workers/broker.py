"""What waits in the lab's broker, and what was delivered and is not acked."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import redis

from atleastonce.services.console import Console
from atleastonce.services.depths import CHATTER, queues
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses

#: kombu.transport.redis: priorities above 0 are lists of their own.
_SEPARATOR = "\x06\x16"
_STEPS = ("", *(f"{_SEPARATOR}{step}" for step in (3, 6, 9)))
_BINDINGS = "_kombu.binding."


@dataclass(frozen=True)
class Backlog:
    """What the broker holds at one moment.

    Attributes:
        waiting: how many messages wait in each queue that has any.
        unacked: how many messages were delivered and are not acked.
        kept: the task id, by its tag, of each unacked message that the broker keeps
            until a visibility timeout, whether its worker lives or not. RabbitMQ keeps
            none: it puts a message back when its worker's connection is closed.
        unserved: queues that no worker ever listened to: a message rests there, as a
            dead letter does. RabbitMQ only.
    """

    waiting: dict[str, int]
    unacked: int
    kept: dict[str, str] = field(default_factory=dict)
    unserved: frozenset[str] = frozenset()

    @property
    def due(self) -> dict[str, int]:
        """What waits in the queues that are served."""
        return {n: count for n, count in self.waiting.items() if n not in self.unserved}

    def to_come(self, held: set[str]) -> int:
        """How many unacked messages will be acked, or put back, without our help.

        What is kept, and not among the messages *held* by live workers, waits for help.
        """
        kept = self.kept.values()
        return self.unacked - sum(message not in held for message in kept)


class Broker(Protocol):
    """A reader's view of the lab's broker."""

    def backlog(self) -> Backlog:
        """All queues and all unacked messages."""

    def empty(self) -> None:
        """Throw away all messages; no worker may be busy, but it may listen.

        Raises:
            WaitTimeout: one is busy.
        """

    def close(self) -> None:
        """Drop the connection, if there is one."""


def open_broker(addresses: Addresses) -> Broker:
    """The broker that the lab uses now."""
    if addresses.broker == "rabbitmq":
        return RabbitBroker(addresses)
    return RedisBroker(addresses)


class RedisBroker:
    """Database 0 of the lab's Redis: the keys that kombu 5.7 keeps."""

    def __init__(self, addresses: Addresses) -> None:
        self._redis = redis.Redis.from_url(
            addresses.redis_url(0), decode_responses=True
        )

    def queues(self) -> list[str]:
        """The names of the queues that somebody declared, sorted."""
        names = {"celery"}
        for key in self._redis.scan_iter(f"{_BINDINGS}*", count=1000):
            if not any(word in key for word in CHATTER):
                members: Any = self._redis.smembers(key)
                names |= {member.split(_SEPARATOR)[2] for member in members}
        return sorted(names)

    def backlog(self) -> Backlog:
        """All queues and all unacked messages, in one transaction."""
        names = self.queues()
        with self._redis.pipeline() as pipe:
            for name in names:
                for step in _STEPS:
                    pipe.llen(name + step)
            pipe.hgetall("unacked")
            *lengths, rows = pipe.execute()
        width = len(_STEPS)
        sums = [sum(lengths[i : i + width]) for i in range(0, len(lengths), width)]
        return Backlog(
            {name: count for name, count in zip(names, sums, strict=True) if count},
            len(rows),
            {tag: json.loads(row)[0]["headers"]["id"] for tag, row in rows.items()},
        )

    def empty(self) -> None:
        """Throw away what waits, and what is unacked."""
        names = [name + step for name in self.queues() for step in _STEPS]
        self._redis.delete("unacked", "unacked_index", *names)

    def close(self) -> None:
        """Drop the connection."""
        self._redis.close()


class RabbitBroker:
    """The lab's RabbitMQ, asked through its console."""

    def __init__(self, addresses: Addresses) -> None:
        self._console = Console(Path(addresses.folder))
        self._served = {"celery"}

    def backlog(self) -> Backlog:
        """All queues, one after the other.

        A queue gives a message out, takes it back or drops it in one step, so none is
        missed, but one that moves from queue to queue may be: look twice.
        """
        depths = queues(self._console)
        self._served |= {name for name, depth in depths.items() if depth.consumers}
        return Backlog(
            {name: depth.ready for name, depth in depths.items() if depth.ready},
            sum(depth.unacked for depth in depths.values()),
            unserved=frozenset(depths.keys() - self._served),
        )

    def empty(self) -> None:
        """Throw away what waits, and what dead workers held once it is put back."""
        wait_until(
            lambda: not self.backlog().unacked,
            timeout=10.0,
            what="RabbitMQ to put back what dead workers held",
        )
        self._console.ask("Purge()")

    def close(self) -> None:
        """Nothing: each question is a connection of its own."""
