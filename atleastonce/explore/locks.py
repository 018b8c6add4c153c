"""Proof that a copy waits: Postgres and Redis say so, not the time that passes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import psycopg
import redis

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from atleastonce.addresses import Addresses

# The view is copied first, the holders are looked up later: a session may come to its
# lock in between. It waits only if both say so; else its lock's kind would be unknown.
_SESSIONS = """
SELECT application_name, pid,
       CASE wait_event_type WHEN 'Lock' THEN wait_event END, pg_blocking_pids(pid)
FROM pg_stat_activity WHERE starts_with(application_name, %s)
"""
_END = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE starts_with(application_name, %s)
"""
_HOLDER = """
SELECT format('session %%s (%%s, %%s): %%s', pid,
              coalesce(nullif(application_name, ''), 'no name'), state, query)
FROM pg_stat_activity WHERE pid = %s
"""


@dataclass(frozen=True)
class Wait:
    """What one copy waits for.

    Attributes:
        holders: the sessions in whose way it stands, by pid.
        strangers: those of them that belong to no copy.
        queued: it waits behind another waiter, for its turn at a row.
        cycle: it waits for itself in the end: a deadlock, which Postgres will break.
    """

    holders: frozenset[int]
    strangers: frozenset[int]
    queued: bool
    cycle: bool


class Locks:
    """Ask Postgres and Redis about the connections of all copies.

    Args:
        addresses: where they are.
        tag: what the names of the copies' connections begin with.
    """

    def __init__(self, addresses: Addresses, tag: str) -> None:
        self._tag = tag
        self._redis = redis.Redis.from_url(addresses.redis_url())
        self._db: psycopg.Connection[tuple[Any, ...]] = psycopg.connect(
            addresses.dsn(), autocommit=True, prepare_threshold=1
        )

    def waits(self, *, in_redis: bool) -> dict[int, Wait]:
        """The copies that wait now, by number; *in_redis*: ask Redis too."""
        found = self._waits_in_redis() if in_redis else {}
        return found | self._waits_in_postgres()

    def _waits_in_redis(self) -> dict[int, Wait]:
        """Copies inside a command such as BLPOP; Redis serves them in their order."""
        clients: Any = self._redis.client_list()
        nobody: frozenset[int] = frozenset()
        return {
            int(client["name"].removeprefix(self._tag)): Wait(
                nobody, nobody, queued=False, cycle=False
            )
            for client in clients
            # "b": waiting in a blocking operation; see CLIENT LIST.
            if client["name"].startswith(self._tag) and "b" in client["flags"]
        }

    def _waits_in_postgres(self) -> dict[int, Wait]:
        rows = self._db.execute(_SESSIONS, (self._tag,)).fetchall()
        holders = {pid: frozenset(blockers) for _, pid, _, blockers in rows}
        return {
            int(name.removeprefix(self._tag)): Wait(
                holders[pid],
                holders[pid] - holders.keys(),
                queued=event == "tuple",
                cycle=in_cycle(pid, holders),
            )
            for name, pid, event, _ in rows
            if event and holders[pid]
        }

    def describe(self, pids: Iterable[int]) -> str:
        """Who these sessions are, for an error."""
        rows = [self._db.execute(_HOLDER, (pid,)).fetchone() for pid in sorted(pids)]
        return "; ".join(str(row[0]) for row in rows if row)

    def close(self) -> None:
        """End every session of the copies, also one that waits for a lock.

        Raises:
            WaitTimeout: one is there after 5 s.
        """
        self._redis.close()
        with self._db as db:
            db.execute(_END, (self._tag,))
            # Postgres itself, asked to wait, looks every 100 ms only.
            wait_until(
                lambda: not db.execute(_SESSIONS, (self._tag,)).fetchall(),
                timeout=5.0,
                what="the copies' sessions in Postgres to end",
                interval=0.001,
            )


def in_cycle(pid: int, holders: Mapping[int, frozenset[int]]) -> bool:
    """True if *pid* stands, in the end, in its own way."""
    seen: set[int] = set()
    new = holders.get(pid, frozenset())
    while new - seen:
        seen |= new
        new = frozenset().union(*(holders.get(p, frozenset()) for p in new))
    return pid in seen


def race(waits: Sequence[Wait]) -> bool:
    """True if two copies wait for one lock: Postgres may serve either first."""
    shared = any(a.holders & b.holders for a, b in combinations(waits, 2))
    return len(waits) > 1 and (shared or any(wait.queued for wait in waits))
