"""A worker's loop that stands still for a signal, and who asks it to."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.workers import agent, link, receiver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Ticks(list[Any]):
    """Of a loop: called in this order, where kombu's set has any."""

    add = list.append

    def discard(self, tick: object) -> None:
        if tick in self:
            self.remove(tick)


class Loop:
    """As much of kombu's as is used."""

    def __init__(self) -> None:
        self.on_tick = Ticks()

    def turn(self) -> None:
        for tick in list(self.on_tick):
            tick()


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The worker's end of a link, and the notebook's."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def stand(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """Ask a loop to stand still, with question 1, and let it come to that."""
    loop = Loop()
    monkeypatch.setattr(agent, "_handed_over", lambda: False)
    monkeypatch.setattr(receiver, "loop", [loop])

    def stand() -> None:
        agent._stand_still_soon(loop, ends[0], {"question": 1})
        receiver.accepted("m1", 7)
        loop.turn()

    return stand


def test_an_attempt_that_has_just_begun_goes_on_before_the_loop_ends(
    ends: tuple[socket.socket, socket.socket],
    stand: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """It waited 5 s for a tick that the loop did not come to any more."""
    told: list[tuple[object, ...]] = []
    monkeypatch.setattr(receiver, "lane", lambda: SimpleNamespace(folder=tmp_path))
    monkeypatch.setattr(receiver.attempts, "accepted", lambda *of: told.append(of))

    def shut_down() -> None:
        raise SystemExit

    monkeypatch.setattr(agent.state, "maybe_shutdown", shut_down)
    link.send(ends[1], go_on=1)
    with pytest.raises(SystemExit):
        stand()
    assert told == [(tmp_path, "m1", 7)]
