"""What waits in the broker, read from Redis: the keys that kombu 5.7 keeps."""

from __future__ import annotations

import json
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


class Broker:
    """A reader's view of the lab's broker, database 0 of its Redis."""

    def __init__(self, addresses: Addresses) -> None:
        self._redis = redis.Redis.from_url(
            addresses.redis_url(0), decode_responses=True
        )

    def queues(self) -> list[str]:
        """The names of the queues that somebody declared, sorted."""
        names = {"celery"}
        for key in self._redis.scan_iter(f"{_BINDINGS}*"):
            members: Any = self._redis.smembers(key)
            names |= {member.split(_SEPARATOR)[2] for member in members}
        return sorted(n for n in names if not any(word in n for word in _CHATTER))

    def waiting(self) -> dict[str, int]:
        """How many messages wait in each queue that has any."""
        found = {}
        for name in self.queues():
            keys = [name + step for step in _STEPS]
            if count := sum(int(self._redis.llen(key)) for key in keys):
                found[name] = count
        return found

    def unacked(self) -> dict[str, str]:
        """The task id of each message that was delivered and not acked, by its tag."""
        rows: Any = self._redis.hgetall("unacked")
        return {tag: json.loads(raw)[0]["headers"]["id"] for tag, raw in rows.items()}

    def close(self) -> None:
        """Drop the connection."""
        self._redis.close()
