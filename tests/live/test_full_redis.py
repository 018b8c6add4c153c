"""A second Redis, a neighbour that keeps one full, and what results weigh there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import redis

from atleastonce.lab import Lab
from atleastonce.neighbour import CACHE, crowded, pressure, refused
from atleastonce.weight import copied, growth, in_use, judged, pages

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab("full") as opened:
        yield opened


def test_the_second_redis_is_another_one_and_reset_empties_both(lab: Lab) -> None:
    lab.redis.client().set("here", 1)
    lab.second_redis.client().set("there", 1)
    assert lab.redis.port != lab.second_redis.port
    assert not lab.redis.client().exists("there")
    with redis.Redis.from_url(lab.second_redis.url()) as client:
        assert client.exists("there")
    lab.reset()
    assert not lab.second_redis.client().exists("there")
    assert lab.second_redis is lab.second_redis


def test_a_crowded_redis_refuses_and_stays_full_when_somebody_frees(lab: Lab) -> None:
    lab.reset()
    client = lab.redis.client()
    client.set("mine", "x" * 100_000)
    with (
        lab.redis.configured(maxmemory="4mb", maxmemory_policy="noeviction"),
        crowded(lab.fleet, lab.redis) as squeezed,
    ):
        before, _ = pressure(lab.redis)
        client.delete("mine")
        squeezed()
        assert pressure(lab.redis)[0] > before
        with pytest.raises(redis.ResponseError):
            client.set("mine", "x" * 100_000)
    assert not lab.redis.client(CACHE).dbsize()
    client.set("mine", 1)


def test_a_crowded_redis_that_may_evict_evicts(lab: Lab) -> None:
    lab.reset()
    client = lab.second_redis.client()
    client.set("mine", 1)
    with (
        lab.second_redis.configured(maxmemory="4mb", maxmemory_policy="allkeys-lru"),
        crowded(lab.fleet, lab.second_redis) as squeezed,
    ):
        assert not client.exists("mine")
        client.set("mine", 1)
        squeezed()
        assert not client.exists("mine")


def test_what_is_refused_is_counted(lab: Lab) -> None:
    lab.reset()
    send = lab.app.send_task
    assert refused(lambda: send("nobody.knows"), 2) == 0
    with (
        lab.redis.configured(maxmemory="3mb", maxmemory_policy="noeviction"),
        crowded(lab.fleet, lab.redis),
    ):
        assert refused(lambda: send("nobody.knows"), 2) == 2


def test_the_line_through_equal_results_has_their_weight(lab: Lab) -> None:
    lab.reset()
    client = lab.redis.client(1)
    numbers = iter(range(10_000))

    def step() -> None:
        for _ in range(50):
            client.set(f"celery-task-meta-{next(numbers)}", "x" * 5_000)

    line = growth(client, step)
    assert line.counts == (100, 150, 200, 250, 300)
    assert 4_500 < line.slope < 7_000
    assert line.million().endswith("GB")


def test_copies_weigh_what_they_take_and_may_expire(lab: Lab) -> None:
    lab.reset()
    client = lab.redis.client(1)
    before = in_use(client)
    each = copied(client, "x" * 1_000, 500, life=100)
    assert client.dbsize() == 500
    assert 1_000 < each < 2_000
    assert in_use(client) > before + 500_000
    assert 0 < client.ttl("celery-task-meta-" + "1".zfill(36)) <= 100


def test_pages_go_to_the_end_and_the_server_tells_what_it_was_asked(lab: Lab) -> None:
    lab.reset()
    client = lab.redis.client(1)
    copied(client, "x", 3_000)

    def way() -> None:
        for page in pages(client, "celery-task-meta-*"):
            if page:
                client.unlink(*page)

    told = judged(client, way)
    assert client.dbsize() == 0
    assert told["SLOWLOG"] == ["SCAN", "UNLINK"]
    assert isinstance(told["commands"], int)
    assert 6 <= told["commands"] <= 30
