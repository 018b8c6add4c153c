"""Who waits, and behind whom: the search believes two sources that agree."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from atleastonce.explore.locks import Locks, race
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.explore.locks import Wait
    from tests.live.interleaving.conftest import Races

# Found before Postgres' own by who sets the path; holds its caller up until key 7 is
# free, and then answers as that one does.
GATE = """
CREATE SCHEMA gate;
CREATE FUNCTION gate.pg_blocking_pids(int) RETURNS int[] LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(7);
    RETURN pg_catalog.pg_blocking_pids($1);
END $$;
"""
HELD_UP = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
ASK = b"BEGIN; SELECT 1 FROM shop_account WHERE name = 'ann' FOR UPDATE"

Session = psycopg.Connection[Any]


@pytest.fixture
def connect(races: Races) -> Iterator[Callable[[str], Session]]:
    """Makes a session with a name; all end with the test."""
    races.setup()
    dsn = races.lab.addresses.dsn()
    with ExitStack() as stack:

        def made(name: str) -> Session:
            session = psycopg.connect(dsn, application_name=name, autocommit=True)
            return stack.enter_context(closing(session))

        gate = made("gate")
        gate.execute(GATE)
        stack.callback(gate.execute, "DROP SCHEMA gate CASCADE")
        yield made


def waits_in(locks: Locks) -> dict[int, Wait]:
    return locks.waits(in_redis=False)


def test_who_comes_to_its_lock_between_two_looks_waits_with_its_place_or_not_yet(
    races: Races, connect: Callable[[str], Session]
) -> None:
    gate, looks = connect("gate"), races.lab.addresses
    sessions = [connect(f"queue-{n}") for n in range(3)]
    with (
        closing(Locks(looks, "queue-")) as early,
        closing(Locks(looks, "queue-")) as late,
        ThreadPoolExecutor() as pool,
    ):
        early._db.execute("SET search_path = gate, pg_catalog")
        early._db.execute(
            "SET statement_timeout = '30s'"
        )  # it fails, and does not hang
        gate.execute("SELECT pg_advisory_lock(7)")
        looked = pool.submit(waits_in, early)
        wait_until(
            lambda: gate.execute(HELD_UP).fetchall(),
            timeout=10.0,
            what="the question to be held up between its two looks",
        )
        for n, session in enumerate(sessions):
            session.pgconn.send_query(ASK)
            session.pgconn.flush()
            wait_until(
                lambda n=n: len(waits_in(late)) == n,
                timeout=10.0,
                what=f"{n} sessions to wait for the row",
            )
        gate.execute("SELECT pg_advisory_unlock(7)")
        # Without the kind of its lock the third would be no race with the second.
        assert looked.result() == {}
        found = [wait for _, wait in sorted(waits_in(early).items())]
        assert [wait.queued for wait in found] == [False, True]
        assert race(found)
