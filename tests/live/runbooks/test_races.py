"""Runbook 05 in the state that it is for: two right tasks, and a wrong sum."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.faults import freeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.lab import Lab
    from tests.live.runbooks.conftest import Operator

pytestmark = pytest.mark.live

RACES = """
from atleastonce.shop.models import Grant, Member, SignUp


@app.task(name="shop.award", acks_late=True)
def award(grant_id, name):
    member = Member.objects.get(name=name)
    missing = not SignUp.objects.filter(name=name).exists()
    Grant.objects.create(grant_id=grant_id, member=member, points=1)
    member.points += 1
    if missing:
        SignUp.objects.create(workshop_id=1, name=name)
    member.save()
"""
ONE_EACH = "CREATE UNIQUE INDEX one_each ON shop_signup (workshop_id, name)"


@pytest.fixture
def workshop(lab: Lab) -> Iterator[Callable[[], None]]:
    """Makes a member and a workshop; no index of the page is left at the end."""
    models = importlib.import_module("atleastonce.shop.models")  # needs Django

    def make() -> None:
        models.Member.objects.create(name="ann")
        models.Workshop.objects.create(title="sourdough", seats=12)

    yield make
    lab.postgres.rows("DROP INDEX IF EXISTS one_each")


def test_05_a_wrong_sum(
    lab: Lab,
    operator: Operator,
    anew: Callable[[], None],
    workshop: Callable[[], None],
) -> None:
    award: Any = lab.load_tasks("runbook_races", RACES)["award"]
    operator.opens("05-races")
    operator.env["OTHER_WORKERS"] = "w2@lab"

    workshop()
    lab.postgres.rows(ONE_EACH)
    lab.worker()
    for grant in ("g1", "g2"):
        award.delay(grant, "ann")
    lab.wait()
    operator.sees("healthy")
    lab.postgres.rows("DROP INDEX one_each")

    anew()
    workshop()
    slow: Any = lab.worker()
    with lab.strike(freeze(before="member.points += 1")):
        award.delay("g1", "ann")
    lab.worker()
    award.delay("g2", "ann")
    lab.wait(lambda: ("w2", "ack") in [(e.lane, e.kind) for e in lab.timeline().events])
    slow.thaw()
    lab.wait()
    operator.sees("trouble")

    operator.acts("Stop the bleeding")
    for number in range(3, 6):
        award.delay(f"g{number}", "ann")
    lab.wait()
    starts = [e.lane for e in lab.timeline().events if e.kind == "start"]
    assert sorted(starts) == ["w1"] * 4 + ["w2"]
    operator.acts("Mend")
    [(points, signed_up)] = lab.postgres.rows(
        "SELECT points, (SELECT count(*) FROM shop_signup) FROM shop_member"
    )
    assert (points, signed_up) == (5, 1)
    operator.is_done()
