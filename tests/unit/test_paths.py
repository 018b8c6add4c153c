"""Two pictures made of a lesson's own results: schedules as paths, ledgers as bars."""

from __future__ import annotations

from dataclasses import dataclass

from atleastonce.paths import draw_paths
from atleastonce.whereabouts import draw_whereabouts

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass
class Found:
    orders: list[tuple[tuple[int, ...], bool]]


def test_paths_count_what_breaks_and_equal_searches_give_equal_bytes() -> None:
    orders = [((0, 0, 1, 1), False), ((0, 1, 0, 1), True), ((1, 1, 0, 0), False)]
    first, second = (draw_paths({"naive": Found(orders)}) for _ in range(2))
    assert first.png.startswith(PNG)
    assert first.png == second.png
    assert first.alt.endswith("naive: 1 of 3 break it.")


def test_a_search_without_a_schedule_can_be_drawn() -> None:
    assert draw_paths({"none": Found([])}).alt.endswith("none: 0 of 0 break it.")


def test_whereabouts_say_where_orders_are_and_leave_out_where_none_is() -> None:
    lost = {"accepted": 20, "done": 0, "queue": 0, "unacked": 4, "lost": 16}
    twice = {"accepted": 20, "done": 0, "queue": 40, "unacked": 0, "lost": 0}
    picture = draw_whereabouts({"Redis killed": lost, "reconciled twice": twice})
    assert picture.png.startswith(PNG)
    assert picture.alt == (
        "Where the accepted orders are in the end. Redis killed: 4 unacked, 16 lost; "
        "reconciled twice: 40 queue."
    )
