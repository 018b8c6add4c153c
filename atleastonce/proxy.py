"""A TCP proxy in front of one service: it delays, cuts, refuses, hangs, loses replies.

To a client it is the service. It knows no protocol: a *request* is what a client sends,
a *reply* is what the service sends next, so losing the reply to one request is exact
for clients that wait for each reply, as those of Redis, Postgres, SMTP and HTTP/1.1 do.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import TYPE_CHECKING, Any, Self

from atleastonce.relay import Relay, Rule
from atleastonce.services.ports import HOST

if TYPE_CHECKING:
    from collections.abc import Coroutine

#: Seconds; a verb only waits for its turn in the loop.
_PATIENCE = 10.0


class Proxy:
    """Pass everything on between clients and a service, and misbehave when told to.

    One way at a time: each verb takes the place of the one before. It holds for
    connections that are open, too, from the moment the verb returns.

    Attributes:
        port: where clients connect, on loopback; it stays the same.

    Args:
        port: the service's.
        host: the service's.
    """

    def __init__(self, port: int, *, host: str = HOST) -> None:
        self._relay = Relay((host, port))
        self._server: asyncio.Server | None = None
        self._socket = _bound(0)
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        run = self._loop.run_forever
        self._thread = threading.Thread(target=run, name="proxy", daemon=True)
        self._thread.start()
        self.heal()

    @property
    def struck(self) -> int:
        """How many requests were cut or lost their reply so far."""
        return self._relay.struck

    def delay(self, seconds: float) -> None:
        """Pass each reply on *seconds* later; a request goes through at once."""
        self._call(self._follow(Rule(hold=seconds)))

    def hang(self) -> None:
        """Accept connections and pass nothing on; ``heal`` passes on what was held."""
        self._call(self._follow(Rule(hold=None)))

    def cut(self, before: bytes | None = None) -> None:
        """Close all connections now (RST); clients may connect again at once.

        Args:
            before: in place of that, close the connection that next sends a request
                containing this; the service does not get the request.
        """
        if before is None:
            self._call(self._follow(Rule(), reset=True))
        else:
            self._call(self._follow(Rule(word=before, times=1)))

    def refuse(self) -> None:
        """Close all connections, and refuse new ones until another verb."""
        self._call(self._refuse())

    def lose_reply(self, after: bytes = b"", times: int = 1) -> None:
        """Have the service do a request, throw its reply away, and send RST instead.

        Args:
            after: what the request contains, such as ``b"LPUSH"``.
            times: how many requests.
        """
        self._call(self._follow(Rule(word=after, answered=True, times=times)))

    def heal(self) -> None:
        """Misbehave no more."""
        self._call(self._follow(Rule()))

    def close(self) -> None:
        """End all connections and the thread; can be called again."""
        if self._loop.is_closed():
            return
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        """The proxy, passing everything on."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def _call(self, verb: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(verb, self._loop).result(_PATIENCE)

    async def _follow(self, rule: Rule, *, reset: bool = False) -> None:
        self._relay.follow(rule)
        if self._server is None:
            serve = self._relay.serve
            self._server = await asyncio.start_server(serve, sock=self._socket)
        if reset:
            self._relay.reset()

    async def _refuse(self) -> None:
        self._stop_listening()
        # Bound and not listening, it refuses; and nobody else can have the port.
        self._socket = _bound(self.port)
        self._relay.follow(Rule())
        self._relay.reset()

    def _stop_listening(self) -> None:
        if self._server:
            self._server.close()
            self._server = None
        self._socket.close()

    async def _end(self) -> None:
        self._stop_listening()
        await self._relay.end()


def _bound(port: int) -> socket.socket:
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((HOST, port))
    return made
