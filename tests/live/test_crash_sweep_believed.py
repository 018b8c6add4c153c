"""A sweep tells its own failures from the target's, and nothing makes it hang."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import tasks
from atleastonce.errors import ExploreError
from atleastonce.explore.bench import Bench
from atleastonce.explore.crash_sweep import crash_sweep
from atleastonce.explore.sweep_points import said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.explore.sweep import Sweep

pytestmark = pytest.mark.live
#: Seconds for targets that end by themselves, on a loaded machine.
LONG = 60.0

TARGETS = """\
import os, signal
from pathlib import Path
import redis
from atleastonce.settings import Settings
from atleastonce.shop import payments
from atleastonce.shop.models import Order
from atleastonce.waiting import pause

LATE = {"acks_late": True, "reject_on_worker_lost": True}
WHERE = Settings.from_env

def times(name):
    path = Path(WHERE().addresses().folder, f"times.{name}")
    with path.open("a") as file:
        file.write(".")
    return path.stat().st_size

@app.task(**LATE)
def endless():
    while True:
        pause(0.01)

@app.task(**LATE)
def deadly():
    os.kill(os.getpid(), signal.SIGKILL)

@app.task(**LATE)
def moody():
    if times("moody") % 2:
        Order.objects.count()

@app.task(**LATE)
def tired(name):
    if times(name) < 3:
        Order.objects.count()

@app.task(**LATE)
def good(order_id):
    Order.objects.filter(pk=order_id).update(status="paid")

@app.task(**LATE)
def locked(order_id):
    lock = redis.Redis.from_url(WHERE().addresses().redis_url(2))
    while not lock.set("lock", 1, nx=True):
        pause(0.01)
    Order.objects.filter(pk=order_id).update(status="paid")
    lock.delete("lock")

@app.task(**LATE)
def in_progress(order_id):
    if Order.objects.get(pk=order_id).status != "new":
        return
    Order.objects.filter(pk=order_id).update(status="in_progress")
    Order.objects.filter(pk=order_id).update(status="paid")

@app.task(**LATE)
def parent(order_id):
    good.delay(order_id)

@app.task(bind=True, **LATE)
def twice(self, order_id):
    if self.request.retries == 0:
        raise self.retry(countdown=0)
    Order.objects.filter(pk=order_id).update(status="paid")

@app.task(**LATE)
def charged(order_id):
    payments.charge("ann", 30)

@app.task(**LATE)
def broken(order_id):
    Order.objects.get(pk=order_id + 98)

def one_by_one():
    order = Order.objects.filter(status="new").order_by("pk").first()
    if order:
        order.status = "paid"
        order.save()

def failing():
    raise ValueError("no such order")

def hasty():
    good.delay(1)
    pause(0.3)
    if Order.objects.filter(status="new").exists():
        redis.Redis.from_url(WHERE().addresses().redis_url(2)).incr("late")

def patient():
    tired.delay("patient")
    while not Path(WHERE().addresses().folder, "times.patient").exists():
        pause(0.01)
"""


@pytest.fixture
def place(bench: Any) -> Iterator[Any]:  # noqa: ANN401 - conftest's Bench
    loaded = tasks.load("targets", TARGETS, folder=bench.fleet.tasks, app=bench.app)
    bench.targets = loaded.module
    bench.orders = importlib.import_module("atleastonce.shop.models").Order.objects
    yield bench
    tasks.unload(loaded, bench.app)


@pytest.fixture
def sweep(place: Any) -> Callable[..., Sweep]:  # noqa: ANN401 - likewise
    def world() -> dict[str, object]:
        return {
            "charges": place.charges,
            "paid": place.orders.filter(status="paid").count(),
            "in progress": place.orders.filter(status="in_progress").count(),
        }

    def start() -> None:
        place.orders.all().delete()
        place.orders.create(pk=1, customer="ann", amount=30)

    def swept(name: str, *args: object, **how: Any) -> Sweep:  # noqa: ANN401 - of crash_sweep
        on = Bench(place.services.addresses, place.fleet, world, ("targets",))
        options = {"setup": start, "timeout": LONG, "on": on} | how
        return crash_sweep(getattr(place.targets, name), *args, **options)

    return swept


def test_a_target_that_never_ends_is_reported_with_where_it_was_last(
    sweep: Callable[..., Sweep],
) -> None:
    with pytest.raises(ExploreError, match="does not come to an end") as error:
        sweep("endless", timeout=2.0)
    assert error.value.seen.rpartition(" ")[2] in {"22", "23"}


def test_a_target_that_fails_without_any_fault_is_no_yardstick(
    sweep: Callable[..., Sweep],
) -> None:
    with pytest.raises(ExploreError, match="fails: FAILURE DoesNotExist") as error:
        sweep("broken", 1)
    assert "Order matching query does not exist" in error.value.seen


def test_a_target_that_kills_every_attempt_is_reported(
    sweep: Callable[..., Sweep],
) -> None:
    with pytest.raises(ExploreError, match="begun again and again: 10 attempts"):
        sweep("deadly")


def test_a_target_that_is_not_deterministic_is_reported(
    sweep: Callable[..., Sweep],
) -> None:
    with pytest.raises(ExploreError, match="not deterministic") as error:
        sweep("moody")
    assert "line 31" in error.value.seen


def test_a_fault_that_does_not_strike_has_no_row_and_is_told(
    sweep: Callable[..., Sweep],
) -> None:
    found = sweep("tired", "tired")
    assert {row.point.kind for row in found.rows} == {"line"}
    assert not found.ok
    assert found.verdict == "unknown"
    assert "select: before did not strike" in found.problems[1]
    assert "an undisturbed run at the end differs" in found.problems[-1]


def test_a_world_that_someone_else_changes_once_is_told(
    sweep: Callable[..., Sweep],
    place: Any,  # noqa: ANN401 - conftest's Bench
) -> None:
    runs = iter(range(1000))

    def meddle() -> None:
        if next(runs) == 5:
            place.orders.create(pk=99, customer="eve", amount=1, status="paid")

    found = sweep("good", 1, reset=meddle)
    assert len(found.problems) == 1
    assert "two worlds: paid 2, not 1, then as expected" in found.problems[0]
    assert found.verdict == "unknown"
    assert set(found.outcomes) == {"ok"}


def test_a_charge_of_someone_else_is_told_by_whose_it_is(
    sweep: Callable[..., Sweep],
    place: Any,  # noqa: ANN401 - conftest's Bench
) -> None:
    looks = iter(range(1000))

    def world() -> dict[str, object]:
        if next(looks) == 5:
            place.targets.payments.charge("eve", 1)
        return {"paid": place.orders.filter(status="paid").count()}

    found = sweep("good", 1, world=world)
    assert "someone else was at work: gateway: charge 1.00 eve" in found.problems[0]


def test_a_second_attempt_that_waits_for_ever_is_stuck(
    sweep: Callable[..., Sweep],
) -> None:
    found = sweep("locked", 1, timeout=3.0)
    assert found.outcomes["stuck"] > 0
    row = found.first("stuck")
    assert row
    assert said(row.point) == "line 45, set: done"
    assert "1 held by workers" in row.evidence
    assert found.rows[-1].outcome == "ok"


def test_a_row_that_waits_for_nobody_is_stuck_where_the_world_says_so(
    sweep: Callable[..., Sweep],
) -> None:
    found = sweep("in_progress", 1, stuck=["in progress"])
    assert set(found.outcomes) == {"ok", "stuck"}
    row = found.first("stuck")
    assert row
    assert row.evidence == "paid 0, not 1; in progress 1, not 0"
    without = sweep("in_progress", 1)
    assert set(without.outcomes) == {"ok", "lost"}


@pytest.mark.parametrize("kill", ["child", "worker"])
def test_messages_of_the_target_are_part_of_its_work(
    sweep: Callable[..., Sweep], kill: str
) -> None:
    found = sweep("parent", 1, kill=kill)
    assert found.ok, found


def test_attempts_after_the_first_can_be_struck(sweep: Callable[..., Sweep]) -> None:
    found = sweep("twice", 1, attempt=2)
    assert found.ok, found
    assert "update" in {row.point.name for row in found.rows}
    assert found.fault == "child killed on attempt 2"


def test_several_attempts_can_be_struck_at_one_point(
    sweep: Callable[..., Sweep],
) -> None:
    found = sweep("charged", 1, attempt=(1, 2))
    assert {row.evidence for row in found.rows} == {"", "charges 3, not 1"}
    assert {row.strikes for row in found.rows[:-1]} == {2}


def test_an_attempt_that_there_is_not_is_refused(sweep: Callable[..., Sweep]) -> None:
    with pytest.raises(ExploreError, match="There is no attempt 2"):
        sweep("good", 1, attempt=2)


def test_a_callable_is_started_again_until_nothing_is_left(
    sweep: Callable[..., Sweep],
    place: Any,  # noqa: ANN401 - conftest's Bench
) -> None:
    def three() -> None:
        place.orders.all().delete()
        for number in range(1, 4):
            place.orders.create(pk=number, customer="ann", amount=number)

    def left() -> int:
        return int(place.orders.filter(status="new").count())

    found = sweep("one_by_one", setup=three, left=left)
    assert found.ok, found
    assert found.expected["paid"] == 3
    # Three orders need three; one whose last work was done already needs no fourth.
    assert {row.attempts for row in found.rows} == {3, 4}


def test_the_workers_stand_still_until_a_callable_has_returned(
    sweep: Callable[..., Sweep],
) -> None:
    found = sweep("hasty")
    assert found.ok, found
    assert "INCRBY late" in str(found)


def test_a_callable_may_wait_for_the_workers(sweep: Callable[..., Sweep]) -> None:
    assert sweep("patient", timeout=LONG, files=[os.__file__]).ok


def test_a_callable_that_always_fails_is_reported_with_what_it_said(
    sweep: Callable[..., Sweep],
) -> None:
    with pytest.raises(ExploreError, match="begun again and again") as error:
        sweep("failing")
    assert "ValueError: no such order" in str(error.value)


@pytest.mark.parametrize(
    ("fault", "outcomes"),
    [
        # A warm shutdown lets the task finish.
        ("term", {"ok"}),
        # The exception is the task's own failure, and a failure is acked.
        ("soft limit", {"ok", "lost"}),
        ("lose reply", {"ok"}),
        ("cut", {"ok", "lost"}),
    ],
)
def test_other_faults_than_a_kill_are_planted_where_they_can_strike(
    sweep: Callable[..., Sweep], fault: str, outcomes: set[str]
) -> None:
    found = sweep("good", 1, fault=fault)
    assert not found.problems, found
    assert set(found.outcomes) == outcomes, found


def test_everything_is_put_back_and_no_worker_is_left(
    sweep: Callable[..., Sweep],
    place: Any,  # noqa: ANN401 - conftest's Bench
) -> None:
    found = sweep("good", 1, kill="worker")
    assert found.ok
    assert place.orders.get().status == "new"
    assert place.fleet.workers == []
    assert place.fleet.broker.backlog().waiting == {}


def test_messages_from_before_are_not_swept_up(
    sweep: Callable[..., Sweep],
    place: Any,  # noqa: ANN401 - conftest's Bench
) -> None:
    def start() -> None:
        place.app.send_task("somebody.elses", queue="other")
        with place.app.connection() as connection:
            place.app.amqp.queues["other"](connection.default_channel).declare()

    with pytest.raises(ExploreError, match="holds messages that are not the sweep's"):
        sweep("good", 1, setup=start)


def test_an_unknown_fault_or_victim_is_refused(sweep: Callable[..., Sweep]) -> None:
    with pytest.raises(ExploreError, match="no fault 'fire'"):
        sweep("good", 1, fault="fire")
    with pytest.raises(ExploreError, match="no 'queen' to kill"):
        sweep("good", 1, kill="queen")
