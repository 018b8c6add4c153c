"""The team's own checks: of tasks, or of names that this process need not import."""

from webshop import checks
from webshop.orders import tasks

START = {"setup": checks.order, "world": checks.world}


def test_a_row_lock_survives_a_crash(crash_sweep):
    found = crash_sweep(tasks.pay, 1, kill="worker", **START)
    assert found.ok, found


def test_a_row_lock_survives_two_copies(interleave):
    pay = "webshop.orders.tasks:pay", 1
    found = interleave(pay, pay, setup="webshop.checks:order", world=checks.world)
    assert found.ok, found
    assert found.waited


def test_a_mail_before_its_note_is_sent_twice(crash_sweep):
    found = crash_sweep(tasks.tell.s(1), **START)
    assert set(found.outcomes) == {"ok", "duplicate"}, found
    assert found.expected == {"mails": 1, "paid": 0, "told": 1}


def test_two_copies_send_two_mails(interleave):
    found = interleave(tasks.tell.s(1), tasks.tell.s(1), **START)
    assert found.verdict == "fail", found
