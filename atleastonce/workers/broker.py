"""What waits in the broker, read from Redis: the keys that kombu 5.7 keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import redis

if TYPE_CHECKING:
    from atleastonce.settings import Addresses

#: kombu.transport.redis: priorities above 0 are lists of their own.
_SEPARATOR = "\x06\x16"
_STEPS = ("", *(f"{_SEPARATOR}{step}" for step in (3, 6, 9)))
_BINDINGS = "_kombu.binding."
#: Queues of the workers' own conversation.
_CHATTER = ("celeryev", ".pidbox")


@dataclass(frozen=True)
class Backlog:
    """What the broker holds at one moment.

    Attributes:
        waiting: how many messages wait in each queue that has any.
        unacked: the task id of each delivered and unacked message, by its tag.
    """

    waiting: dict[str, int]
    unacked: dict[str, str]


class Broker:
    """A reader's view of the lab's broker, database 0 of its Redis."""

    def __init__(self, addresses: Addresses) -> None:
        self._redis = redis.Redis.from_url(
            addresses.redis_url(0), decode_responses=True
        )

    def queues(self) -> list[str]:
        """The names of the queues that somebody declared, sorted."""
        names = {"celery"}
        for key in self._redis.scan_iter(f"{_BINDINGS}*", count=1000):
            if not any(word in key for word in _CHATTER):
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
            {tag: json.loads(row)[0]["headers"]["id"] for tag, row in rows.items()},
        )

    def waiting(self) -> dict[str, int]:
        """How many messages wait in each queue that has any."""
        return self.backlog().waiting

    def unacked(self) -> dict[str, str]:
        """The task id of each delivered and unacked message, by its tag."""
        return self.backlog().unacked

    def close(self) -> None:
        """Drop the connection."""
        self._redis.close()
