"""Faults in the instrument's own work are told as such, and nothing hangs."""

from __future__ import annotations

import re
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce.errors import ExploreError
from atleastonce.explore.interleave import interleave

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live.conftest import Owner
    from tests.live.interleaving.conftest import Races


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("die", "died in its step"),
        ("never_end", "made 100 steps without an end"),
        ("wait_for_nobody", "wait for what nobody will do"),
        ("hold_back", "came to no further point within 2 s"),
        ("always_raise", "Every copy raised in every schedule"),
    ],
)
def test_a_target_that_cannot_be_explored_is_told(
    races: Races, target: str, told: str
) -> None:
    with pytest.raises(ExploreError, match=told):
        races.search(target, (), (), max_steps=100, patience=2.0)


ENDLESS = r"in [23] schedules the copies made 60 steps without an end"


def test_schedules_without_an_end_lose_nothing_of_the_others(races: Races) -> None:
    # The copy that came second spins in the second and the third schedule; the fourth
    # has it between the release and the write.
    how = {"max_steps": 60, "max_schedules": 5}
    found = races.search("count_retrying_too_short", (), (), **how)
    assert (found.schedules, found.broken) == (3, 1)
    assert found.verdict == "fail"
    assert found.shortest.world["hits"] == 1
    assert re.search(ENDLESS, found.unexplored), found
    assert "Not all was explored" in found.summary


def test_schedules_without_an_end_are_no_success(races: Races) -> None:
    found = races.search("count_retrying", (), (), max_steps=60, max_schedules=5)
    assert (found.broken, found.verdict) == (0, "unknown")
    assert found.schedules == 2
    assert re.search(ENDLESS, found.unexplored), found
    assert "max_schedules=5 was reached" in found.unexplored
    assert "switches were run" not in found.unexplored


def test_a_target_that_never_ends_under_a_claim_is_no_success(races: Races) -> None:
    how = {"claim": lambda _: True, "max_steps": 20, "max_schedules": 3}
    found = races.search("never_end", (), (), **how)
    assert (found.schedules, found.verdict) == (0, "unknown")


def test_a_target_that_is_not_deterministic_is_told(races: Races) -> None:
    with pytest.raises(ExploreError, match=r"replay was|two worlds"):
        races.search("steps_by_chance", (), ())


def test_a_world_that_someone_else_changes_is_told(races: Races) -> None:
    client, ended = races.lab.redis.client(2), threading.Event()

    def meddle() -> None:
        while not ended.wait(0.002):
            client.incr("hits")

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        with pytest.raises(ExploreError, match="someone else changes the world"):
            races.search("count_by_get_and_set", (), ())
    finally:
        ended.set()
        meddler.join()


def test_a_lock_that_no_copy_holds_is_told_with_its_holder(races: Races) -> None:
    with races.lab.postgres.connect() as holder:
        holder.execute("SELECT pg_advisory_lock(7)")
        with pytest.raises(ExploreError, match="no copy holds") as error:
            races.search("deposit_advisory", (1, 10), (1, 5), patience=2.0)
    assert "pg_advisory_lock(7)" in error.value.seen


def test_a_world_that_someone_else_holds_is_told_with_its_holder(races: Races) -> None:
    with races.lab.postgres.connect() as holder:

        def hold() -> None:
            races.setup()
            holder.execute("BEGIN")
            holder.execute("SELECT * FROM shop_account FOR UPDATE")

        copies = [(races.targets.deposit, 1, 10), (races.targets.deposit, 1, 5)]
        with pytest.raises(ExploreError, match="someone else holds a lock") as error:
            interleave(*copies, setup=hold, world=races.world, patience=2.0)
    assert "idle in transaction" in error.value.seen


def test_a_module_that_cannot_be_imported_is_told(
    races: Races, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is importable here, and its file is gone when a copy looks for it.
    here = str(Path(__file__).parent)
    monkeypatch.setattr("sys.path", [place for place in sys.path if place != here])
    with pytest.raises(ExploreError, match="could not be loaded") as error:
        races.search("deposit", (1, 10), (1, 5))
    assert "race_targets" in error.value.seen


SEARCH = """
    import sys; sys.path.insert(0, {here!r})
    from atleastonce import shop
    from atleastonce.settings import export
    export(ATLEASTONCE_LAB_FILE=str(e.lab_file))
    shop.setup(e.addresses)
    from atleastonce.explore.interleave import interleave
    import race_targets as t
    from atleastonce.shop.models import Account
    Account.objects.create(pk=1, name="ann")
    Account.objects.create(pk=2, name="bob")
    def world():
        print("going", flush=True)
        return dict(Account.objects.values_list("name", "balance"))
    interleave((t.transfer, 1, 2, 3), (t.transfer, 2, 1, 3), world=world, grain="line")
"""


def test_a_search_that_is_killed_leaves_nothing(
    owner: Callable[..., Owner],
) -> None:

    owned = owner(SEARCH.format(here=str(Path(__file__).parent))).opened()
    assert owned.process.stdout.readline() == "going\n"
    owned.signal(signal.SIGKILL)
    owned.process.wait()
