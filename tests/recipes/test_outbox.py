"""What is committed is published: view, relay, and two relays at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.explore.result import Interleavings
    from tests.recipes.conftest import Drill, Rig

pytestmark = pytest.mark.live


#: A point, and what is left after a SIGKILL there and another start: messages in the
#: broker, and rows in the outbox.
Left = tuple[str, int, int]


def relayed(drill: Drill, recipe: str) -> Iterator[Left]:
    """A relay dies at each point, and the next one begins."""

    def one() -> None:
        drill.begin()
        drill.rows("INSERT INTO outbox (topic, payload) VALUES ('ship', '{}')")

    for point in drill.deaths(recipe, "send", one):
        drill.again(recipe, "send")
        yield point, drill.redis.llen("celery"), drill.count("outbox")


def both(rig: Rig, recipe: str) -> Interleavings:
    """Two relays, two orders, and those turns that switch least between the relays."""
    calls = [("send",)] * 2
    how = {"setup": "two", "world": "messages", "max_schedules": 40}
    return rig.search(recipe, *calls, **how)


def test_a_view_that_dies_leaves_both_rows_or_none(drill: Drill) -> None:
    seen = set()
    for point in drill.deaths("outbox", "one", drill.begin):
        rows = drill.count("accepted"), drill.count("outbox")
        assert rows in {(0, 0), (1, 1)}, point
        seen.add(rows)
    assert len(seen) == 2
    drill.again("outbox", "one")
    assert (drill.count("accepted"), drill.count("outbox")) == (1, 1)


def test_it_is_published_wherever_the_relay_dies(drill: Drill) -> None:
    found = list(relayed(drill, "outbox"))
    assert [left for left in found if left[2] or not left[1]] == []
    # Who died after the publish has left the row to the next one: at least once.
    assert {messages for _, messages, _ in found} == {1, 2}


def test_a_relay_that_deletes_first_is_found_out(drill: Drill) -> None:
    found = relayed(drill, "outbox_deletes_first")
    assert any((messages, rows) == (0, 0) for _, messages, rows in found)


def test_two_relays_publish_each_message_once(rig: Rig) -> None:
    found = both(rig, "outbox")
    assert not found.broken, found
    assert found.schedules == 40


def test_two_relays_without_a_lock_are_found_out(rig: Rig) -> None:
    found = both(rig, "outbox_locks_nothing")
    assert found.verdict == "fail", found
