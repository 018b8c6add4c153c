"""Put Redis back to what it held at the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import redis

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


class Keys:
    """Every key of every database as it is now; ``restore`` brings that back.

    Args:
        addresses: where Redis is.
    """

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._clients: dict[int, redis.Redis] = {}
        self._kept = {db: self._dump(db) for db in self._used()}

    def _client(self, db: int) -> redis.Redis:
        if db not in self._clients:
            self._clients[db] = redis.Redis.from_url(self._addresses.redis_url(db))
        return self._clients[db]

    def _used(self) -> set[int]:
        found: Any = self._client(0).info("keyspace")
        return {int(name.removeprefix("db")) for name in found}

    def _dump(self, db: int) -> list[tuple[bytes, int, bytes]]:
        """Key, milliseconds to live (0: for ever) and value, as RESTORE takes them."""
        client = self._client(db)
        keys: Any = sorted(client.scan_iter(count=1000))
        with client.pipeline(transaction=True) as pipe:
            for key in keys:
                pipe.pttl(key)
                pipe.dump(key)
            replies = pipe.execute()
        triples = zip(keys, replies[::2], replies[1::2], strict=True)
        return [(key, max(0, ttl), value) for key, ttl, value in triples if value]

    def restore(self) -> None:
        """Put every database back, each in one transaction."""
        for db in self._used() | self._kept.keys():
            with self._client(db).pipeline(transaction=True) as pipe:
                pipe.flushdb()
                for key, ttl, value in self._kept.get(db, []):
                    pipe.restore(key, ttl, value)
                pipe.execute()

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            client.close()
