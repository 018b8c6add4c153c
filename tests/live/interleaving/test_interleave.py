"""Reference cases of the interleaving search: each count is reasoned beside it.

With *n* free points each, two copies have C(2n, n) schedules. A wait takes some away:
who waits can't move, so the other one's next step is forced.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import tasks
from atleastonce.explore.bench import Bench
from atleastonce.explore.interleave import interleave

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live.interleaving.conftest import Races

DEADLOCK = "OperationalError: deadlock detected"


@dataclass(frozen=True)
class Case:
    """A target, its two calls, and what a search of them must count."""

    name: str
    calls: tuple[tuple[object, ...], ...]
    schedules: int
    broken: int
    waited: int = 0
    raised: dict[str, int] = field(default_factory=dict)


DEPOSITS = ((1, 10), (1, 5))
TRANSFERS = ((1, 2, 10), (2, 1, 5))
CASES = [
    # SELECT, UPDATE: C(4, 2) = 6. Right only if one's UPDATE comes before the other's
    # SELECT: the two serial ones.
    Case("deposit", DEPOSITS, 6, 4),
    # The same points, on one line, in another module, in a thread.
    Case("deposit_on_one_line", DEPOSITS, 6, 4),
    Case("deposit_by_a_helper", DEPOSITS, 6, 4),
    Case("deposit_in_a_thread", DEPOSITS, 6, 4),
    # SELECT, UPDATE, COMMIT. Say A updates first. If B updates before A commits, it
    # waits, A's COMMIT is forced, and B's SELECT was at one of 3 places; else it was
    # at one of 4, of which only the last is right. Both ways: 14, 2 right, 6 waits.
    Case("deposit_atomic", DEPOSITS, 14, 12, waited=6),
    # SELECT, UPDATE; the UPDATE adds to what is there.
    Case("deposit_by_f", DEPOSITS, 6, 0),
    # SELECT FOR UPDATE, UPDATE, COMMIT: B's first one waits before A's UPDATE or
    # COMMIT, or comes after: 3, both ways.
    Case("deposit_locked", DEPOSITS, 6, 0, waited=4),
    # The lock, SELECT, UPDATE, COMMIT: B waits before any of A's 3 steps left, or comes
    # after: 4, both ways.
    Case("deposit_advisory", DEPOSITS, 8, 0, waited=6),
    # As deposit_atomic; where that is wrong, B's UPDATE fails after A's COMMIT, and
    # its second try runs alone.
    Case("deposit_serializable", DEPOSITS, 14, 0, waited=6),
    # The second try is Celery's own.
    Case("deposit_serializable_retried", DEPOSITS, 14, 0, waited=6),
    # Two locks, two UPDATEs, COMMIT. If A has both locks, B's first one waits before
    # any of A's 3 steps left, or comes after: 4, both ways: 8, 6 of them wait. Else
    # each has one (2 orders), one asks for its second and waits (2), and the other one
    # asks too and is the victim. That frees the first, whose 3 steps and the victim's
    # ROLLBACK can come in 4 orders: 16.
    Case("transfer", TRANSFERS, 24, 16, 22, {DEADLOCK: 16}),
    # One statement locks both: as deposit_locked, with one UPDATE more: 4, both ways.
    Case("transfer_sorted", TRANSFERS, 8, 0, waited=6),
    # SELECT, INSERT: as deposit.
    Case("mail_once_by_check", (("a@b.c",),) * 2, 6, 4),
    # SELECT, INSERT, COMMIT: of the C(6, 3) = 20 only the serial ones are right (and
    # shorter: the second copy finds the row).
    Case("mail_once_by_get_or_create", (("a@b.c",),) * 2, 20, 18),
    # With a unique name B's INSERT waits for A's COMMIT, fails, and B reads A's row.
    # As deposit_atomic, but nothing is wrong.
    Case("account_by_get_or_create", (("cid",),) * 2, 14, 0, waited=6),
    # Two threads of each copy, which run one after the other: INCR, INCR.
    Case("count_in_an_executor", ((), ()), 6, 0),
    # GET, SET: as deposit.
    Case("count_by_get_and_set", ((), ()), 6, 4),
    # One INCR each.
    Case("count_by_incr", ((), ()), 2, 0),
    # SET NX, GET, SET, release. B may try in vain before each of A's 3 steps left: not
    # at all, once, or twice, after which it sleeps until A moves: 3 * 3 * 3, both ways.
    Case("count_locked", ((), ()), 54, 0),
    Case("count_spinning", ((), ()), 54, 0),
    # A sleep takes no time, and hides no schedule: as count_by_get_and_set.
    Case("count_slowly", ((), ()), 6, 4),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_schedule_is_counted_and_every_broken_one_found(
    races: Races, case: Case
) -> None:
    found = races.search(case.name, *case.calls)
    counts = found.schedules, found.broken, found.waited, found.raised
    assert counts == (case.schedules, case.broken, case.waited, case.raised), found
    assert found.complete
    assert found.verdict == ("fail" if case.broken else "pass")


def test_a_search_that_runs_again_finds_the_same_step_by_step(races: Races) -> None:
    first = races.search("transfer", *TRANSFERS)
    again = races.search("transfer", *TRANSFERS)
    assert first.digest == again.digest
    assert str(first) == str(again)


def test_the_shortest_breaking_schedule_is_shown_side_by_side(races: Races) -> None:
    found = races.search("deposit", *DEPOSITS)
    line = found.shortest.steps[0].place.line if found.shortest else 0
    told = [(row.copy, row.text.strip()) for row in found.rows]
    read = f"{line} account = Account.objects.get(pk=pk)"
    assert told == [
        (0, read),
        (0, "SELECT shop_account"),
        (1, read),
        (1, "SELECT shop_account"),
        (1, f"{line + 2} account.save()"),
        (1, "UPDATE shop_account"),
        (0, f"{line + 2} account.save()"),
        (0, "UPDATE shop_account"),
    ]
    assert dict(found.shortest.world) == races.world() | {"ann": 110}  # type: ignore[union-attr]


def test_lines_are_points_too_on_demand(races: Races) -> None:
    # Three lines and two boundaries: C(10, 5) = 252. Right if one's UPDATE comes before
    # the other's SELECT, before which its first line can come anywhere: 6, both ways.
    found = races.search("deposit", *DEPOSITS, grain="line")
    assert (found.schedules, found.broken) == (252, 240)


def test_a_comprehension_is_one_line(races: Races) -> None:
    # On each of two lines the line itself and one statement: C(8, 4).
    found = races.search("charge_by_comprehension", ([1],), ([1],), grain="line")
    assert (found.schedules, found.broken) == (70, 0)


@pytest.mark.parametrize(
    ("name", "schedules", "broken"),
    [
        # 6! / 2!^3 orders; right are the 3! serial ones.
        ("deposit", 90, 84),
        ("deposit_by_f", 90, 0),
    ],
)
def test_three_copies_are_searched(
    races: Races, name: str, schedules: int, broken: int
) -> None:
    found = races.search(name, (1, 10), (1, 5), (1, 7))
    assert (found.schedules, found.broken) == (schedules, broken)
    assert found.complete


def test_of_three_copies_two_may_wait_for_one_lock_and_that_is_said(
    races: Races,
) -> None:
    found = races.search("deposit_locked", (1, 10), (1, 5), (1, 7))
    assert (found.broken, found.verdict) == (0, "pass")
    assert found.pruned
    assert "left out: two waited for one lock" in str(found)


def test_a_claim_decides_in_place_of_the_serial_worlds(races: Races) -> None:
    def claim(world: dict[str, int]) -> bool:
        return world["ann"] >= 110

    assert races.search("deposit", *DEPOSITS).broken == 4
    # The last UPDATE wins: 110 or 105. Of the 4 the second copy ends 2.
    assert races.search("deposit", *DEPOSITS, claim=claim).broken == 2


def test_a_copy_that_waits_inside_redis_hangs_nothing(races: Races) -> None:
    # RPUSH; BLPOP, INCR. BLPOP first: it waits, RPUSH is forced, INCR follows. RPUSH
    # first: the rest follows.
    found = races.search(
        "pass_on", ("give",), ("take",), claim=lambda world: world["hits"] == 1
    )
    assert (found.schedules, found.waited, found.verdict) == (2, 1, "pass")


def test_a_budget_that_ends_the_search_is_no_success(races: Races) -> None:
    found = races.search("deposit_by_f", *DEPOSITS, grain="line", max_schedules=7)
    assert (found.schedules, found.verdict) == (7, "unknown")
    assert "max_schedules=7 was reached" in found.unexplored
    late = races.search("deposit_by_f", *DEPOSITS, grain="line", deadline=0.0)
    assert late.verdict == "unknown"
    assert "deadline=0 s was reached" in str(late)


def test_a_break_is_found_within_a_small_budget(races: Races) -> None:
    found = races.search("deposit", *DEPOSITS, grain="line", max_schedules=10)
    assert found.verdict == "fail"


def test_the_world_is_as_setup_made_it_afterwards(races: Races) -> None:
    races.search("count_by_get_and_set", (), ())
    races.search("account_by_get_or_create", ("cid",), ("dan",))
    assert races.world() == {
        "ann": 100,
        "bob": 100,
        "mails": 0,
        "charges": 0,
        "hits": 0,
    }
    assert races.models.Account.objects.create(name="eve").pk == 3


def test_no_session_and_no_copy_is_left_after_a_search(races: Races) -> None:
    races.search("transfer", *TRANSFERS)
    named = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'alo-%'"
    assert races.lab.postgres.rows(named) == [(0,)]
    assert not list(races.lab.folder.glob("explore-*"))


def test_without_a_fork_server_the_search_starts_its_own(races: Races) -> None:
    found = races.search("deposit", *DEPOSITS, on=Bench(races.lab.addresses))
    assert (found.schedules, found.broken) == (6, 4)


CELL = """
from atleastonce.shop.models import Account

@app.task
def raced(pk, amount):
    account = Account.objects.get(pk=pk)
    account.balance += amount
    account.save({fields})
"""


def test_a_tasks_cell_is_searched_as_it_is_now(
    races: Races, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    app: Any = importlib.import_module("atleastonce.shop.celery").app
    wrong = tasks.load("cell", CELL.format(fields=""), folder=tmp_path, app=app)
    raced: Any = wrong.module.raced
    copies = raced.s(1, 10), raced.s(1, 5)
    found = interleave(*copies, setup=races.setup, world=races.world)
    assert (found.schedules, found.broken) == (6, 4)
    assert "account.save()" in str(found)
    # The same name, now with nothing that is saved: no copy keeps the old module.
    other = CELL.format(fields="update_fields=['name']")
    edited: Any = tasks.load("cell", other, folder=tmp_path, app=app)
    copies = edited.module.raced.s(1, 10), edited.module.raced.s(1, 5)
    found = interleave(*copies, setup=races.setup, world=races.world)
    assert found.broken == 0
    tasks.unload(edited, app)
