"""The part of a proxy that runs in its event loop: pass bytes on, or break links."""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Awaitable, Callable

    _Judge = Callable[["_Link", bytes], Awaitable[bool]]

_SIZE = 65536
# With these, closing a socket sends RST, and throws away what was not sent.
_NO_LINGER = struct.pack("ii", 1, 0)


@dataclass(eq=False)
class Rule:
    """How to misbehave, until another rule takes its place and *over* is set.

    Attributes:
        hold: seconds for which each reply is held back; None: everything, for good.
        word: what a request contains that is struck.
        answered: the service gets such a request, and only the reply is lost.
        times: how many requests are still to be struck.
    """

    hold: float | None = 0.0
    word: bytes = b""
    answered: bool = False
    times: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)


class _Link:
    """A client's connection, and ours to the service for it; they end together."""

    def __init__(self, to_client: StreamWriter) -> None:
        self.writers = [to_client]
        self.tail = b""  # what may be the beginning of the rule's word
        self.loses_reply = False

    def reset(self) -> None:
        for writer in self.writers:
            with suppress(OSError):
                raw = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            writer.transport.abort()


class Relay:
    """All connections through one proxy; to be used in one event loop only.

    Attributes:
        struck: how many requests were cut or lost their reply, in all.

    Args:
        service: host and port of the service.
    """

    def __init__(self, service: tuple[str, int]) -> None:
        self._service, self._rule = service, Rule()
        self._links = set[_Link]()
        self.struck = 0

    def follow(self, rule: Rule) -> None:
        """Misbehave as *rule* says from now on, on open connections too."""
        self._rule.over.set()
        self._rule = rule

    async def end(self) -> None:
        """Close all connections, those in the making too, and wait for their sockets.

        Nothing else may run in this loop.
        """
        self.follow(Rule())
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            self.reset()
            await asyncio.wait(tasks, timeout=0.01)

    def reset(self) -> None:
        """Close all connections now, on both sides, with RST."""
        for link in list(self._links):
            link.reset()

    async def serve(self, requests: StreamReader, to_client: StreamWriter) -> None:
        """Serve one client until it or the service has ended the connection."""
        link = _Link(to_client)
        self._links.add(link)
        try:
            replies, to_service = await asyncio.open_connection(*self._service)
            link.writers.append(to_service)
            await asyncio.gather(
                self._pass(requests, to_service, link, self._may_ask),
                self._pass(replies, to_client, link, self._may_answer),
            )
        except OSError:
            link.reset()
        for writer in link.writers:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
        self._links.discard(link)

    async def _pass(
        self, source: StreamReader, to: StreamWriter, link: _Link, may: _Judge
    ) -> None:
        try:
            while data := await source.read(_SIZE):
                if not await may(link, data):
                    self.struck += 1
                    link.reset()
                    return
                to.write(data)
                await to.drain()
            to.write_eof()
        except OSError:
            link.reset()

    async def _may_ask(self, link: _Link, data: bytes) -> bool:
        if self._rule.hold is None:
            await self._wait()
        rule, seen = self._rule, link.tail + data
        link.tail = seen[max(0, len(seen) - len(rule.word) + 1) :]
        if not rule.times or rule.word not in seen:
            return True
        rule.times -= 1
        link.loses_reply = rule.answered
        return rule.answered

    async def _may_answer(self, link: _Link, _: bytes) -> bool:
        await self._wait()
        return not link.loses_reply

    async def _wait(self) -> None:
        """Stand still for as long as the rule says, whichever it is by then."""
        while (rule := self._rule).hold != 0:
            try:
                await asyncio.wait_for(rule.over.wait(), rule.hold)
            except TimeoutError:
                return
