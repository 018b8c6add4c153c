"""A neighbour in the same Redis: a cache that takes all the memory there is.

It *keeps* the server full. What is freed, by a pop or by an eviction, it takes within a
millisecond or so. A server that was filled once has room again as soon as anybody reads
from it, and shows nothing.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING

import redis

from atleastonce.waiting import pause, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.services.redis import Redis
    from atleastonce.workers.fleet import Fleet

FILL = "atleastonce.neighbour:fill"
#: The database that it writes to; maxmemory and its policy are the whole server's.
CACHE = 3
#: Bytes of a page; smaller ones take what larger ones leave.
PAGES = (100_000, 10_000, 1_000, 100)
#: Bytes beyond the limit that it takes once it was refused.
OVER = 200_000
#: Seconds between two tries while the server refuses.
AGAIN = 0.001
#: It is full for sure after so many writes were refused, or so many keys evicted: then
#: whatever may be evicted has been. (Redis' LRU clock has steps of a second; within one
#: it evicts at random, and some dozen pages have room.)
REFUSED, EVICTED = 100, 600
#: Seconds within which it must be full.
PATIENCE = 30.0


@contextmanager
def crowded(fleet: Fleet, server: Redis) -> Iterator[Callable[[], None]]:
    """A process keeps *server* full inside the block, whose pages are gone at its end.

    It has been full for a while when the block begins. The block gets a function that
    waits until it has been so once more: what was written meanwhile, and may be
    evicted, is gone then.

    Args:
        fleet: whose fork server the process comes from.
        server: with a ``maxmemory``.

    Raises:
        WaitTimeout: it is not full after 30 s.
    """
    log = server.folder.path / "log" / "neighbour.log"
    process = fleet.fork(FILL, server.url(CACHE), log=log)
    try:
        _squeeze(server)
        yield lambda: _squeeze(server)
    finally:
        process.end()
        wait_until(
            lambda: _ended(fleet, process.pid),
            timeout=PATIENCE,
            what="the neighbour to end",
        )
        server.client(CACHE).flushdb()


def _squeeze(server: Redis) -> None:
    refusals, evictions = pressure(server)

    def full() -> bool:
        now = pressure(server)
        return now[0] >= refusals + REFUSED or now[1] >= evictions + EVICTED

    wait_until(
        full,
        timeout=PATIENCE,
        what="Redis to be full",
        seen=lambda: str(server.client().info("memory")["used_memory_human"]),
    )


def _ended(fleet: Fleet, pid: int) -> bool:
    fleet.pump()
    return fleet.board.gone or pid in fleet.board.ended


def refused(publish: Callable[[], object], count: int) -> int:
    """Publish *count* times; how many were refused."""
    return sum(_refuses(publish) for _ in range(count))


def _refuses(publish: Callable[[], object]) -> bool:
    try:
        publish()
    # Mostly an OperationalError; kombu 5.7 has closed the channel of the one before,
    # and then an AttributeError may come of that.
    except Exception:  # noqa: BLE001 - refused is refused
        return True
    return False


def pressure(server: Redis) -> tuple[int, int]:
    """How many writes it has refused, and how many keys evicted, since it started."""
    client = server.client()
    refusals = client.info("errorstats").get("errorstat_OOM", {"count": 0})["count"]
    return int(refusals), int(client.info("stats")["evicted_keys"])


def fill(url: str) -> None:
    """Write pages without end; runs in the neighbour's process."""
    client, numbers = redis.Redis.from_url(url), itertools.count()
    held = None
    while True:
        for size in PAGES:
            while _written(client, f"page-{next(numbers)}", "x" * size):
                pass
        held = held or _begun(client)
        pause(AGAIN)


def _begun(client: redis.Redis) -> redis.Connection:
    """Begin a large write and never end it: its buffer takes memory unasked.

    Else a worker's pop frees the kilobyte that its next write needs, and whether the
    neighbour or the worker is first depends on the machine.
    """
    connection = client.connection_pool.get_connection()
    start = f"*3\r\n$3\r\nSET\r\n$4\r\npage\r\n${OVER}\r\n"
    connection.send_packed_command([start.encode() + b"x" * (OVER // 2)])
    return connection


def _written(client: redis.Redis, name: str, page: str) -> bool:
    try:
        client.set(name, page)
    except redis.ResponseError:
        return False
    return True
