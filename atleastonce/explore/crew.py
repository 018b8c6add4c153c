"""The copies' processes, as the search holds them: one link to each."""

from __future__ import annotations

import pickle
import secrets
import select
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atleastonce.errors import ExploreError
from atleastonce.explore import wire
from atleastonce.explore.launch import launch
from atleastonce.waiting import Deadline

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from atleastonce.explore.bench import Bench
    from atleastonce.explore.copies import Copy

#: Seconds until all copies have imported their modules, on a loaded machine.
START_TIMEOUT = 60.0


@dataclass(frozen=True)
class Message:
    """What a copy said; ``fields`` is None when its process has ended."""

    copy: int
    fields: dict[str, Any] | None


class Crew:
    """Start one process per copy, and have each import its module.

    Attributes:
        tag: the sessions of copy 0 are named ``<tag>0`` in Postgres.

    Args:
        copies: what they run.
        bench: the lab whose services they use; its folder gets a socket.
        project: the module whose ``setup()`` makes Django ready.
        lines: stop before lines too.

    Raises:
        ExploreError: a copy's module can't be imported.
    """

    def __init__(
        self, copies: Sequence[Copy], bench: Bench, project: str, *, lines: bool
    ) -> None:
        self.copies = copies
        name = secrets.token_hex(4)
        self.tag = f"alo-{name}-"
        self._socket = Path(bench.addresses.folder, f"explore-{name}.sock")
        self._log = self._socket.with_suffix(".log")
        self._links: list[socket.socket] = []
        self._poll = select.poll()
        with wire.listen(self._socket) as listener:
            self._launched = launch(
                bench,
                project,
                socket=self._socket,
                count=len(copies),
                tag=self.tag,
                log=self._log,
            )
            try:
                self._gather(listener, lines=lines)
            except BaseException:
                self.close()
                raise

    def _gather(self, listener: socket.socket, *, lines: bool) -> None:
        """Take each copy's link, and wait until it is ready."""
        deadline = Deadline(START_TIMEOUT)
        found: dict[int, socket.socket] = {}
        while len(found) < len(self.copies):
            link = self._accept(listener, deadline)
            found[(wire.hear(link) or {"index": -1})["index"]] = link
        self._links = [found[index] for index in sorted(found)]
        for copy, link in zip(self.copies, self._links, strict=True):
            self._poll.register(link, select.POLLIN)
            packed = {"path": sys.path, "lines": lines, "copy": copy.pack()}
            link.send(pickle.dumps(packed))
        for index in range(len(self._links)):
            self._await_ready(index, deadline)

    def _accept(self, listener: socket.socket, deadline: Deadline) -> socket.socket:
        while not deadline.expired and not self._launched.failed():
            if select.select([listener], [], [], 0.05)[0]:
                return listener.accept()[0]
        raise ExploreError(
            "The copies' processes could not be started.",
            seen=self.tail(),
            attempt="atleastonce doctor",
        )

    def _await_ready(self, index: int, deadline: Deadline) -> None:
        link = self._links[index]
        link.settimeout(deadline.remaining or 0.001)
        try:
            said = wire.hear(link) or {}
        except TimeoutError:
            said = {}
        link.settimeout(None)
        if said.get("event") != "ready":
            raise ExploreError(
                f"{self.copies[index].text} could not be loaded in its own process.",
                seen=said.get("error") or self.tail(),
                attempt="import its module in a plain Python first",
            )

    def order(self, copy: int, word: bytes) -> None:
        """Tell one copy to run, to go on, or to sleep; a dead one is found later."""
        with suppress(OSError):
            self._links[copy].send(word)

    def hear(self, timeout: float) -> list[Message]:
        """What copies said, after at most *timeout* seconds of silence."""
        ready = {fd for fd, _ in self._poll.poll(timeout * 1000)}
        return [
            Message(index, wire.hear(link))
            for index, link in enumerate(self._links)
            if link.fileno() in ready
        ]

    def tail(self, lines: int = 10) -> str:
        """The last lines that the copies printed."""
        try:
            text = self._log.read_text(errors="replace")
        except OSError:
            return ""
        return "\n".join(text.splitlines()[-lines:])

    def close(self) -> None:
        """Kill every process of the crew."""
        self._launched.end()
        for link in self._links:
            link.close()
        self._socket.unlink(missing_ok=True)
        self._log.unlink(missing_ok=True)
