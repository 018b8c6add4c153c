"""The provider's knobs: which request each one hits."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from atleastonce.shop.gateway.knobs import KINDS, Board, Knobs


def test_every_knob_is_checked() -> None:
    assert set(KINDS) == {field.name for field in fields(Knobs)}


def test_a_new_board_is_harmless() -> None:
    assert Board().take()[0] == Knobs()


def test_without_times_every_request_is_hit() -> None:
    board = Board()
    board.turn(Knobs(status=500))
    assert [board.take()[0].status for _ in range(4)] == [500] * 4


def test_times_ends_delay_hang_and_status() -> None:
    board = Board()
    board.turn(Knobs(delay=1.5, status=429, times=2))
    assert [board.take()[0].status for _ in range(3)] == [429, 429, 0]
    assert board.take()[0] == Knobs()


def test_lost_replies_are_counted_apart_from_times() -> None:
    board = Board()
    board.turn(Knobs(status=500, lose_replies=2, times=1))
    hit = [board.take()[0] for _ in range(3)]
    assert [knobs.lose_replies for knobs in hit] == [2, 1, 0]
    assert [knobs.status for knobs in hit] == [500, 0, 0]


def test_a_hang_lasts_until_the_knobs_are_turned_off() -> None:
    board = Board()
    board.turn(Knobs(hang=True, times=1))
    _, healed = board.take()
    assert board.take()[0].hang is False
    board.turn(Knobs(hang=True))
    assert not healed.is_set()
    board.turn(Knobs(delay=1.0))
    assert healed.is_set()


def test_a_hang_after_a_heal_is_a_new_one() -> None:
    board = Board()
    board.turn(Knobs())
    board.turn(Knobs(hang=True))
    assert not board.take()[1].is_set()


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"speed": 1},
        {"delay": -1},
        {"delay": True},
        {"hang": 1},
        {"status": "500"},
        {"times": 1.5},
        {"retry_after": 1.5},
        {"lose_replies": None},
    ],
)
def test_what_is_no_knob_is_refused(wrong: Any) -> None:  # noqa: ANN401 - any JSON
    with pytest.raises(ValueError, match="knob"):
        Knobs.parse(wrong)


def test_knobs_that_are_not_named_are_harmless() -> None:
    assert Knobs.parse({}) == Knobs()
    assert Knobs.parse({"delay": 1}) == Knobs(delay=1)
    assert Knobs.parse({"hang": True, "times": None}) == Knobs(hang=True)
