"""Hears the fork server and the workers, in the notebook's own thread, when pumped."""

from __future__ import annotations

import selectors
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from atleastonce.waiting import Deadline
from atleastonce.workers import link

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from pathlib import Path

    from atleastonce.workers.forkserver import ForkServer


class Switchboard:
    """What was heard so far.

    Attributes:
        ended: exit status by pid, of workers that the fork server forked.
        ready: names of the workers that have said so.
        gone: True once the fork server has ended.

    Args:
        server: the fork server.
        folder: the lab's folder, where workers find us.
    """

    def __init__(self, server: ForkServer, folder: Path) -> None:
        self.ended: dict[int, int] = {}
        self.ready: set[str] = set()
        self.gone = self._closed = False
        self._server = server
        self._replies: list[dict[str, Any]] = []
        self._answers: dict[str, dict[str, Any]] = {}
        self._links: dict[str, socket.socket] = {}
        self._asked = self._signals = 0
        self._listener = link.listen(folder / link.NAME)
        self._selector = selectors.DefaultSelector()
        self._register(self._listener, self._welcome)
        self._register(server.control, self._hear)

    def pump(self, timeout: float) -> None:
        """Take in what was said; wait up to *timeout* seconds for the first of it."""
        if self._closed:
            return
        for key, _ in self._selector.select(timeout):
            key.data(key.fileobj)

    def reply(self, event: str, timeout: float) -> dict[str, Any] | None:
        """The fork server's next *event*; None if it has ended or says nothing."""
        deadline = Deadline(timeout)
        while True:
            for at, message in enumerate(self._replies):
                if message["event"] == event:
                    return self._replies.pop(at)
            if self.gone or deadline.expired:
                return None
            self.pump(deadline.remaining)

    def signal(self, pid: int, number: int) -> None:
        """The fork server's worker *pid* has been sent a signal when this returns.

        The fork server does it: it knows that the number is not another process's yet.
        """
        self._signals += 1
        self._server.order("signal", pid=pid, number=number, order=self._signals)
        deadline = Deadline(5.0)
        # What came too late for an earlier one is no answer.
        while reply := self.reply("signalled", deadline.remaining):
            if reply["order"] == self._signals:
                return

    @contextmanager
    def standing(self, name: str, timeout: float) -> Iterator[None]:
        """Meanwhile this worker's loop stands still, at a moment fit for a signal.

        One that does not answer within *timeout* seconds (its loop is busy with a
        task, or frozen) gets the signal where it is.
        """
        number = self._asked + 1
        try:
            self.ask({name}, timeout, stand=True)
            yield
        finally:
            if name in self._links:
                self._send(name, go_on=number)

    def ask(
        self, names: set[str], timeout: float, *, stand: bool = False
    ) -> dict[str, dict[str, Any]]:
        """What each of these workers does now; those that ended are left out.

        A worker answers from its own loop: one in the pool ``solo`` when its task is
        done, a frozen one never.
        """
        self._asked += 1
        asked = {name for name in names if name in self._links}
        for name in asked:
            self._send(name, question=self._asked, stand=stand)
        deadline = Deadline(timeout)
        while (late := self._late(asked)) and not deadline.expired:
            self.pump(min(0.05, deadline.remaining))
        return {name: self._answers[name] for name in asked - late - self._lost(asked)}

    def forget(self, *names: str) -> None:
        """Hang up on these workers, or on all; their names may be given to others."""
        for name in names or list(self._links):
            if name in self._links:
                self._drop(name)
            self._answers.pop(name, None)

    def close(self) -> None:
        """Hang up; from here on nothing is heard."""
        self.gone = True
        if self._closed:
            return
        self._closed = True
        for end in (self._listener, *self._links.values()):
            end.close()
        self._selector.close()

    def _send(self, name: str, **message: object) -> None:
        try:
            link.send(self._links[name], **message)
        except OSError:
            self._drop(name)

    def _lost(self, names: set[str]) -> set[str]:
        return names - set(self._links)

    def _late(self, names: set[str]) -> set[str]:
        known = names & set(self._links)
        numbers = {name: self._answers.get(name, {}).get("question") for name in known}
        return {name for name, number in numbers.items() if number != self._asked}

    def _register(self, end: socket.socket, heard: Any) -> None:  # noqa: ANN401 - called with the socket
        self._selector.register(end, selectors.EVENT_READ, heard)

    def _welcome(self, listener: socket.socket) -> None:
        end, _ = listener.accept()
        self._register(end, self._introduced)

    def _introduced(self, end: socket.socket) -> None:
        hello = link.receive(end)
        self._selector.unregister(end)
        # Who has hung up is dead; its name may be another's by now.
        if hello is None or link.ended(end):
            end.close()
            return
        name = hello["name"]
        self.forget(name)
        self._links[name] = end
        self.ready.add(name)
        self._register(end, lambda end: self._answered(name, end))

    def _answered(self, name: str, end: socket.socket) -> None:
        # What this pump has heard before may have been its end.
        if self._links.get(name) is not end:
            return
        answer = link.receive(end)
        if answer is None:
            self._drop(name)
        else:
            self._answers[name] = answer

    def _drop(self, name: str) -> None:
        end = self._links.pop(name)
        self._selector.unregister(end)
        end.close()
        self.ready.discard(name)

    def _hear(self, control: socket.socket) -> None:
        messages = self._server.hear()
        if messages is None:
            self.gone = True
            self._selector.unregister(control)
            return
        for message in messages:
            if message["event"] == "spawned":
                # The number may have been a dead one's.
                self.ended.pop(message["pid"], None)
            if message["event"] == "exit":
                self.ended[message["pid"]] = message["status"]
            else:
                self._replies.append(message)
