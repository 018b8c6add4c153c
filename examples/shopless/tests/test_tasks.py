"""The team's own checks: the fixtures come with atleastonce."""

from shopless import checks, tasks

START = {"setup": checks.order, "world": checks.world}


def test_an_order_is_charged_once_wherever_its_process_dies(crash_sweep):
    found = crash_sweep(tasks.charge_once, 1, **START)
    assert found.ok, found


def test_an_order_is_charged_once_whatever_the_order_of_two_copies(interleave):
    found = interleave(tasks.charge_once.s(1), tasks.charge_once.s(1), **START)
    assert found.ok, found
