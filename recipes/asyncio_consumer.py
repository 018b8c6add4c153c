"""A consumer of a Redis stream, for asyncio: a message may come often and counts once.

Guarantees, wherever a consumer dies, and with any number of them:
    - what the handler writes through the connection that it gets is there once per key;
    - a message leaves the stream after that was committed, or for the dead letters;
    - a message that was given out ``most`` times and never finished (its handler
      raises, or kills the process) goes to the stream ``<stream>:dead``, as it was.

Does not:
    - help an effect that knows no key and is in no transaction of yours;
    - keep an order: what failed comes again ``lease`` seconds later;
    - keep messages when Redis loses its memory: ``appendonly yes``, ``noeviction``;
    - serve two groups: a message that is done is deleted from the stream.

Use: put ``TABLE`` into a migration; then, in the producer and in the consumer::

    await publish(redis, "orders", key=f"charge-{order_id}", order=str(order_id))


    async def charge(db: AsyncConnection, fields: Fields) -> None:
        pay = "UPDATE orders SET paid = true WHERE id = %s"
        await db.execute(pay, [fields["order"]])


    consumer = Consumer(redis, connect, charge, "orders", "billing", name=hostname)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await consumer.run(stop)

``redis`` is ``redis.asyncio.Redis(..., decode_responses=True)``, and its
``socket_timeout`` is longer than ``wait``; ``connect`` opens a psycopg AsyncConnection,
not in autocommit mode. A dead letter is replayed by an XADD of its fields.

Price: per message an INSERT and two round trips to Redis; a handler that is slower than
``lease`` has a copy begun beside it, which waits for its commit and does nothing.

Why: lessons 01 (the marker), 02 (ack after the commit), 03 (a counter outside of what
dies), 10 (what is done has to go).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from psycopg.pq import TransactionStatus
from redis.exceptions import ResponseError

if TYPE_CHECKING:
    import asyncio

    from psycopg import AsyncConnection
    from redis.asyncio import Redis

TABLE: Final = """
CREATE TABLE IF NOT EXISTS done (
    key text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
Fields = dict[str, str]
Connect = Callable[[], Awaitable["AsyncConnection[Any]"]]
Handler = Callable[["AsyncConnection[Any]", Fields], Awaitable[None]]

log = logging.getLogger(__name__)


async def publish(redis: Redis, stream: str, *, key: str, **fields: str) -> None:
    """Append a message; *key* names what is meant to happen once.

    Raises:
        redis.exceptions.RedisError: it is not known whether the message was stored.
            Publish it again with the same key.
    """
    message: Any = fields | {"key": key}
    await redis.xadd(stream, message)


async def first(db: AsyncConnection[Any], key: str) -> bool:
    """True if nobody has committed *key*; the marker commits with what you write.

    Raises:
        RuntimeError: each statement of *db* commits by itself.
    """
    if db.autocommit and db.info.transaction_status == TransactionStatus.IDLE:
        raise RuntimeError(f"first({key!r}) needs a transaction: autocommit is on.")
    mark = "INSERT INTO done (key) VALUES (%s) ON CONFLICT DO NOTHING"
    return (await db.execute(mark, [key])).rowcount == 1


@dataclass(frozen=True)
class Consumer:
    """One consumer of a group; run one per process.

    Attributes:
        redis: decodes its responses.
        connect: opens a connection whose block commits at its end.
        handle: does the work of one message, through the connection that it gets.
        stream, group: what is read, and by whom.
        name: of this consumer; a host's or a pod's name.
        lease: seconds after which a message is taken from a consumer that has not
            finished it: longer than the slowest honest run.
        most: how often a message is given out before it is a dead letter.
    """

    redis: Redis
    connect: Connect
    handle: Handler
    stream: str
    group: str
    name: str
    lease: float = 60.0
    most: int = 5

    async def run(self, stop: asyncio.Event, wait: float = 1.0) -> None:
        """Take messages until *stop* is set, and finish the one that is begun.

        Args:
            stop: ends it; looked at between two messages.
            wait: seconds to wait for a new message before looking at *stop* again.

        Raises:
            redis.exceptions.RedisError: Redis is away: end, and be started again.
        """
        await self.prepare()
        while not stop.is_set():
            await self.step(wait)

    async def prepare(self) -> None:
        """Make the group, which begins with the first message that was ever sent."""
        try:
            await self.redis.xgroup_create(self.stream, self.group, "0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise

    async def step(self, wait: float) -> bool:
        """Take one message, an abandoned one first; False if there was none."""
        taken = await self._abandoned() or await self._new(wait)
        if taken is None:
            return False
        message, fields, deliveries = taken
        if deliveries > self.most:
            await self._bury(message, fields)
            return True
        try:
            await self._work(fields)
        except Exception:
            # It stays with the group, and is given out again when the lease is over.
            log.exception("message %s, delivery %d", message, deliveries)
            return True
        await self._done(message)
        return True

    async def _abandoned(self) -> tuple[str, Fields, int] | None:
        """Claim what somebody has not finished within the lease; one of two gets it."""
        idle, where = int(self.lease * 1000), (self.stream, self.group)
        late: Any = await self.redis.xpending_range(*where, "-", "+", 1, idle=idle)
        if not late:
            return None
        message, deliveries = late[0]["message_id"], late[0]["times_delivered"]
        claimed: Any = await self.redis.xclaim(*where, self.name, idle, [message])
        return (message, claimed[0][1], deliveries + 1) if claimed else None

    async def _new(self, wait: float) -> tuple[str, Fields, int] | None:
        # One at a time: what is fetched ahead is out of sight when its holder dies.
        streams: Any = {self.stream: ">"}
        found: Any = await self.redis.xreadgroup(
            self.group, self.name, streams, count=1, block=max(1, int(wait * 1000))
        )
        if not found:
            return None
        entries = found[self.stream] if isinstance(found, dict) else found[0][1]
        # By protocol and release of redis-py there is one list more around it.
        while isinstance(entries[0], list):
            (entries,) = entries
        message, fields = entries[0]
        return message, fields, 1

    async def _work(self, fields: Fields) -> None:
        async with await self.connect() as db:
            if await first(db, fields["key"]):
                await self.handle(db, fields)

    async def _done(self, message: str) -> None:
        """Only what is committed gets here."""
        async with self.redis.pipeline(transaction=True) as pipe:
            pipe.xack(self.stream, self.group, message)
            pipe.xdel(self.stream, message)
            await pipe.execute()

    async def _bury(self, message: str, fields: Fields) -> None:
        """Move it to the dead letters, in one step."""
        dead: Any = fields
        async with self.redis.pipeline(transaction=True) as pipe:
            pipe.xadd(f"{self.stream}:dead", dead)
            pipe.xack(self.stream, self.group, message)
            pipe.xdel(self.stream, message)
            await pipe.execute()
