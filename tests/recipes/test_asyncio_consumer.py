"""A message of the stream counts once, killed at each line of real consumers."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
from typing import TYPE_CHECKING

import pytest
from redis.asyncio import Redis

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.recipes.conftest import Drill

pytestmark = pytest.mark.live
RECIPE = "asyncio_consumer"
#: A point, and the world after a SIGKILL there.
Seen = tuple[str, dict[str, int]]
ONCE = {"booked": 1, "left": 0, "pending": 0, "dead": 0}


def sent(drill: Drill, **fields: str) -> None:
    """An empty world, and one message."""
    drill.begin()
    asyncio.run(_sent(drill, fields))


async def _sent(drill: Drill, fields: dict[str, str]) -> None:
    module = importlib.import_module(RECIPE)
    url = drill.env["REDIS_URL"]
    async with Redis.from_url(url, decode_responses=True) as link:
        await module.publish(link, "orders", key="order-1", order="1", **fields)


def world(drill: Drill) -> dict[str, int]:
    """Bookings; messages in the stream, given out and not done, and given up."""
    link = drill.redis
    booked = drill.rows("SELECT count(*) FROM booked")[0][0]
    groups = link.xinfo_groups("orders")
    pending = sum(group["pending"] for group in groups)
    found = {"booked": booked, "left": link.xlen("orders"), "pending": pending}
    return found | {"dead": link.xlen("orders:dead")}


def swept(drill: Drill, recipe: str) -> Iterator[Seen]:
    """A SIGKILL at each point, a new consumer, and the world that is left."""
    consume = drill.module.consume
    sent(drill)
    for at, point in enumerate(drill.points(consume, recipe)):
        sent(drill)
        code = drill.ended(consume, recipe, drill.strike(recipe, at))
        assert code == -signal.SIGKILL, point
        assert drill.ended(consume, recipe, drill.strike(recipe)) == 0, point
        yield point, world(drill)


def worn_out(
    drill: Drill, recipe: str, **fields: str
) -> tuple[list[int], dict[str, int]]:
    """Consumers, one after the other, until one ends by itself, six at most."""
    sent(drill, **fields)
    codes = []
    while 0 not in codes and len(codes) < 6:
        codes.append(drill.ended(drill.module.consume, recipe, drill.strike(recipe)))
    return codes, world(drill)


def test_a_message_counts_once_wherever_its_consumer_dies(drill: Drill) -> None:
    found = list(swept(drill, RECIPE))
    assert len(found) > 10
    assert [(point, seen) for point, seen in found if seen != ONCE] == []


@pytest.mark.parametrize("wrong", ["marks_first", "acks_first"])
def test_a_wrong_one_is_found_out(drill: Drill, wrong: str) -> None:
    found = swept(drill, f"{RECIPE}_{wrong}")
    assert any(not seen["booked"] for _, seen in found)


def test_a_copy_beside_a_slow_consumer_counts_for_nothing(drill: Drill) -> None:
    consume = drill.module.consume
    sent(drill)
    at = drill.at(drill.points(consume, RECIPE), "db.execute(BOOK")
    sent(drill)
    strike = drill.strike(RECIPE, at, signal=signal.SIGSTOP)
    with drill.process(consume, RECIPE, strike) as slow:
        pid = drill.stopped(strike)
        with drill.process(consume, RECIPE, drill.strike(RECIPE)) as other:
            drill.waits()
            os.kill(pid, signal.SIGCONT)
            assert [drill.join(slow), drill.join(other)] == [0, 0]
    assert world(drill) == ONCE


def test_a_message_that_kills_is_a_dead_letter_after_three(drill: Drill) -> None:
    codes, seen = worn_out(drill, RECIPE, kills="yes")
    assert codes == [-signal.SIGKILL] * 3 + [0]
    assert seen == {"booked": 0, "left": 0, "pending": 0, "dead": 1}
    ((_, fields),) = drill.redis.xrange("orders:dead")
    assert fields == {"key": "order-1", "order": "1", "kills": "yes"}


def test_one_that_is_given_out_for_ever_is_found_out(drill: Drill) -> None:
    codes, seen = worn_out(drill, f"{RECIPE}_gives_out_for_ever", kills="yes")
    assert codes == [-signal.SIGKILL] * 6
    assert not seen["dead"]


def test_a_message_that_raises_is_a_dead_letter_after_three(drill: Drill) -> None:
    sent(drill)
    drill.redis.xadd("orders", {"key": "order-2", "order": "two"})
    assert drill.ended(drill.module.consume, RECIPE, drill.strike(RECIPE)) == 0
    assert world(drill) == {"booked": 1, "left": 0, "pending": 0, "dead": 1}


def test_a_consumer_that_is_told_to_stop_ends(drill: Drill) -> None:
    sent(drill)
    with drill.process(drill.module.serve, RECIPE) as process:
        wait_until(
            lambda: drill.rows("SELECT 1 FROM booked"),
            timeout=60.0,
            what="the message to be booked",
        )
        os.kill(process.pid, signal.SIGTERM)
        assert drill.join(process) == 0
    assert world(drill) == ONCE
