"""What is committed is published: view, relay, and two relays at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from atleastonce.explore.result import Interleavings
    from atleastonce.explore.sweep import Sweep
    from tests.recipes.conftest import Rig

pytestmark = pytest.mark.live


def relayed(rig: Rig, recipe: str, **how: object) -> Sweep:
    how = {"setup": "one", "left": "left", "world": "orders"} | how
    return rig.sweep(recipe, "send", **how)


def both(rig: Rig, recipe: str) -> Interleavings:
    """Two relays, two orders, and those turns that switch least between the relays."""
    calls = [("send",)] * 2
    how = {"setup": "two", "world": "messages", "max_schedules": 40}
    return rig.search(recipe, *calls, **how)


def test_a_view_that_dies_leaves_both_rows_or_none(rig: Rig) -> None:
    found = rig.sweep("outbox", "accept", 1, world="orders")
    assert found.ok, found
    assert found.expected == {"accepted": 1, "shipped": 0, "outbox": 1}


def test_it_is_published_wherever_the_relay_dies(rig: Rig) -> None:
    found = relayed(rig, "outbox")
    assert found.ok, found
    assert found.expected == {"accepted": 1, "shipped": 1, "outbox": 0}


def test_a_relay_that_deletes_first_is_found_out(rig: Rig) -> None:
    found = relayed(rig, "outbox_deletes_first")
    assert found.outcomes["lost"], found


def test_two_relays_publish_each_message_once(rig: Rig) -> None:
    found = both(rig, "outbox")
    assert not found.broken, found
    assert found.schedules == 40


def test_two_relays_without_a_lock_are_found_out(rig: Rig) -> None:
    found = both(rig, "outbox_locks_nothing")
    assert found.verdict == "fail", found
