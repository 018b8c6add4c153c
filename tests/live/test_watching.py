"""Beats, the receiver for Sentry, and nights that leave the traces that they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce.errors import WorkerError
from atleastonce.lab import Lab
from atleastonce.nights import CALM, CALM_TOO, NIGHTS
from atleastonce.silences import Night
from atleastonce.watching import Witnesses, age, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

TASKS = """
from celery import signals

from atleastonce.shop.hearing import hear
from atleastonce.waiting import pause

hear(app)


@signals.task_success.connect(weak=False)
def slow(sender, **_):
    if sender.name == "fee":
        pause(0.3)


@app.task(name="fee")
def fee(slot=""):
    print(slot)


@app.task(name="breaks")
def breaks():
    raise OSError
"""
FEE = {"task": "fee", "schedule": "* * * * *", "kwargs": {"slot": ""}}


@pytest.fixture(scope="module")
def opened() -> Iterator[Lab]:
    with Lab("08_silent_failure") as lab:
        lab.load_tasks("night_tasks", TASKS)
        yield lab


@pytest.fixture
def lab(opened: Lab) -> Lab:
    opened.reset()
    return opened


def slots(lab: Lab) -> list[str]:
    return [e.text for e in lab.timeline(times=True).events if e.kind == "publish"]


def test_a_beat_sends_each_slot_once_and_says_which(lab: Lab) -> None:
    beat = lab.beat(fee=FEE)
    sent = [beat.tick(slot) for slot in (1, 1, 2, 7)]
    assert sent == [["fee"], [], ["fee"], ["fee"]]
    assert len(set(slots(lab))) == 3


def test_two_beats_agree_on_the_slot(lab: Lab) -> None:
    beats = [lab.beat(fee=FEE) for _ in range(2)]
    for beat in beats:
        beat.tick(3)
    assert len(slots(lab)) == 2
    assert len(set(slots(lab))) == 1


def test_what_a_beat_sent_a_minute_ago_with_an_expiry_has_expired(lab: Lab) -> None:
    beat = lab.beat(ago=2, fee=FEE | {"options": {"expires": 50}})
    beat.tick(1)
    beat.tick(2)
    lab.worker(sentry_dsn="")
    lab.wait()
    kinds = [event.kind for event in lab.timeline().events]
    assert (kinds.count("deliver"), kinds.count("finish")) == (2, 1)


def test_a_schedule_that_celery_refuses_is_an_error(lab: Lab) -> None:
    with pytest.raises(WorkerError, match="expires"):
        lab.beat(fee=FEE | {"expires": 50})


def test_a_beat_that_was_killed_says_so(lab: Lab) -> None:
    beat = lab.beat(fee=FEE)
    beat.kill()
    with pytest.raises((WorkerError, OSError)):
        beat.tick(1)


def test_a_failure_is_heard_by_signal_and_by_sentry(lab: Lab) -> None:
    witnesses = Witnesses(lab)
    lab.worker(sentry_dsn=witnesses.sentry.dsn)
    found = witnesses.of(
        lambda: lab.app.send_task("breaks"), lambda: lab.app.send_task("fee")
    )
    witnesses.sentry.stop()
    assert found == {
        "charged": 0,
        "state": "FAILURE",
        "signals": "failure (child)",
        "Sentry": "OSError",
    }


def test_what_is_heard_late_is_not_said_of_the_next_message(lab: Lab) -> None:
    witnesses = Witnesses(lab)
    lab.worker(sentry_dsn="")
    fee = lambda: lab.app.send_task("fee")  # noqa: E731
    old = lambda: lab.app.send_task("old_name")  # noqa: E731
    heard = [witnesses.of(old, fee)["signals"] for _ in range(3)]
    witnesses.sentry.stop()
    assert heard == ["unknown (main)"] * 3


def test_the_age_of_a_queue_is_that_of_what_is_taken_next(lab: Lab) -> None:
    assert age(lab, "celery") == 0.0
    headers: dict[str, object] = {}
    stamp(headers)
    for mark in (headers["published"], 1e12):
        lab.app.send_task("fee", headers={"published": mark})
    assert 0 < age(lab, "celery") < 60


def test_each_night_leaves_the_trace_that_it_should(lab: Lab) -> None:
    night = Night(lab)
    last = {name: night.history(name)[-1] for name in NIGHTS}
    for name in CALM | CALM_TOO:
        now = last[name]
        assert now["charges"] + now["refused"] == now["orders"]
        assert not now["waiting"]
        assert not now["unacked"]
    assert last["no beat"]["heartbeats"] == 1
    assert last["two beats"]["heartbeats"] == 8
    assert (last["swallowed"]["succeeded"], last["swallowed"]["charges"]) == (6, 4)
    assert last["failing, no results"]["failed"] == 8
    assert last["wrong queue"]["waiting"] == {"chrages": 8}
    assert last["stuck pool"]["waiting"] == {"celery": 9}
    abandoned = last["abandoned"]
    assert abandoned["slot"] - abandoned["oldest_unacked"] == 3
    assert abandoned["charges"] == abandoned["orders"]
    assert last["discarded"]["unknown"] == 4
    assert last["unreadable"]["rejected"] == 4
    assert (last["trouble"]["refused"], last["trouble"]["retried"]) == (10, 9)
