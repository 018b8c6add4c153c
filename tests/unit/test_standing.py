"""A worker's loop that stands still for a signal, and who asks it to."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from atleastonce.workers import agent, link, receiver
from atleastonce.workers.switchboard import Switchboard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from atleastonce.workers.forkserver import ForkServer


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
) -> Callable[..., None]:
    """Ask a loop to stand still, with question 1, and let it come to that."""
    loop = Loop()
    monkeypatch.setattr(agent, "_handed_over", lambda: False)
    monkeypatch.setattr(receiver, "loop", [loop])

    def stand(meanwhile: Callable[[], None] = lambda: None) -> None:
        agent._stand_still_soon(loop, ends[0], {"question": 1})
        meanwhile()
        loop.turn()

    return stand


def test_an_attempt_that_has_just_begun_goes_on_before_the_loop_ends(
    ends: tuple[socket.socket, socket.socket],
    stand: Callable[..., None],
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
        stand(lambda: receiver.accepted("m1", 7))
    assert told == [(tmp_path, "m1", 7)]


def test_a_standing_loop_answers_others_and_waits_for_its_own_word(
    ends: tuple[socket.socket, socket.socket], stand: Callable[..., None]
) -> None:
    """It took the next question for that word, and the question had no answer."""
    link.send(ends[1], question=2, stand=False)
    link.send(ends[1], go_on=1)
    stand()
    answers = [link.receive(ends[1]) for _ in range(2)]
    assert [answer["question"] for answer in answers if answer] == [1, 2]


class Server:
    """A fork server that says what the test has it say."""

    def __init__(self) -> None:
        self.control, self.theirs = socket.socketpair()
        self.said: list[dict[str, Any]] = []

    def order(self, _: str, **__: object) -> None:
        """Take an order."""

    def hear(self) -> list[dict[str, Any]]:
        self.control.recv(1)
        return [self.said.pop(0)]

    def say(self, **message: object) -> None:
        self.said.append(message)
        self.theirs.send(b".")


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def board(tmp_path: Path, server: Server) -> Iterator[Switchboard]:
    board = Switchboard(cast("ForkServer", server), tmp_path)
    with server.control, server.theirs:
        yield board
        board.close()


def hello(folder: Path, board: Switchboard) -> socket.socket:
    """A worker's end, once the board knows it."""
    end = link.connect(folder / link.NAME)
    end.settimeout(5.0)
    link.send(end, name="w1", pid=1, ready=True)
    for _ in range(2):
        board.pump(1.0)
    return end


def test_a_worker_is_let_go_of_though_asking_it_was_interrupted(
    board: Switchboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while it was asked left it standing for ever."""

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with hello(tmp_path, board) as worker:
        monkeypatch.setattr(board, "pump", interrupted)
        with pytest.raises(KeyboardInterrupt), board.standing("w1", 1.0):
            pass
        assert link.receive(worker) == {"question": 1, "stand": True}
        assert link.receive(worker) == {"go_on": 1}


def test_a_dead_worker_is_not_ready(board: Switchboard, tmp_path: Path) -> None:
    """Its word arrives after its end, when its name is free again."""
    with link.connect(tmp_path / link.NAME) as dead:
        link.send(dead, name="w1", pid=1, ready=True)
    for _ in range(2):
        board.pump(1.0)
    assert not board.ready


def test_a_dead_namesake_is_told_apart(board: Switchboard, tmp_path: Path) -> None:
    """The board read the socket of the new one when the old one's had ended."""
    with hello(tmp_path, board):
        new = link.connect(tmp_path / link.NAME)
        link.send(new, name="w1", pid=2, ready=True)
        board.pump(1.0)
    # The end of the old one and the word of the new one are heard in one turn.
    with new:
        for _ in range(3):
            board.pump(0.1)
        assert board.ready == {"w1"}


def test_a_name_is_free_before_another_worker_has_it(
    board: Switchboard, tmp_path: Path
) -> None:
    with hello(tmp_path, board):
        board.forget("w1", "w2")
        assert not board.ready


def test_a_late_answer_to_one_signal_is_none_to_the_next(
    board: Switchboard, server: Server
) -> None:
    server.say(event="signalled", order=1)
    server.say(event="spawned", pid=8)
    board.signal(7, 15)
    server.say(event="signalled", order=1)
    server.say(event="signalled", order=2)
    board.signal(7, 15)
    assert server.said == []


def test_a_number_that_is_given_again_has_not_ended(
    board: Switchboard, server: Server
) -> None:
    server.say(event="exit", pid=7, status=0)
    board.pump(1.0)
    assert board.ended == {7: 0}
    server.say(event="spawned", pid=7)
    board.pump(1.0)
    assert board.ended == {}
