"""How deep the queues of a lab's RabbitMQ are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from atleastonce.services.console import Console

#: Queues of the workers' own conversation.
CHATTER = ("celeryev", ".pidbox")


class Depth(NamedTuple):
    """Of one queue: messages that wait, messages that a client holds, and clients."""

    ready: int
    unacked: int
    consumers: int


def queues(console: Console) -> dict[str, Depth]:
    """What ``RabbitMQ.queues`` returns, for who has no handle."""
    rows = (line.split("\t") for line in console.ask("Queues()").splitlines())
    depths = {name: Depth(*map(int, numbers)) for name, *numbers in rows}
    names = sorted(n for n in depths if not any(word in n for word in CHATTER))
    return {name: depths[name] for name in names}
