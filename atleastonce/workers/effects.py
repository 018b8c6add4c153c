"""What crosses an effect boundary: its kind, its name, and how its reply gets lost."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import RemoteDisconnected
from smtplib import SMTPServerDisconnected
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import amqp
import psycopg
import redis

from atleastonce.workers.plan import AFTER, BEFORE, DONE
from atleastonce.workers.points import Point
from atleastonce.workers.running import watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from http.client import HTTPConnection
    from smtplib import SMTP

_LONGEST = 120
#: Requests with a name of their own: the payment gateway's.
_NAMED = {("POST", "charges"): "charge"}
_SELECTED = re.compile(r"^SELECT .{30,}? FROM ", re.IGNORECASE)
#: Statements whose argument is a generated name.
_ANONYMOUS = ("SAVEPOINT", "RELEASE", "ROLLBACK TO")


@dataclass(frozen=True)
class Effect:
    """One request to another side.

    Attributes:
        kind: ``http``, ``sql``, ``commit``, ``rollback``, ``redis``, ``amqp``,
            ``mail``.
        name: for people: ``charge``, ``insert``, ``set``.
        text: on one line.
        lose: breaks the connection; returns what its library raises then.
    """

    kind: str
    name: str
    text: str
    lose: Callable[[], Exception]


def reach(effect: Effect, moment: str) -> None:
    """Tell the current attempt that *effect* has come to *moment*.

    Raises:
        Exception: the client library's own, when a lost reply is struck here.
    """
    told = watcher()
    if told:
        point = Point(0, effect.kind, moment, effect.name, effect.text)
        told.boundary(point, effect.lose)


@contextmanager
def crossing(effect: Effect) -> Iterator[None]:
    """The request goes out, and its reply comes in, inside this block."""
    reach(effect, BEFORE)
    try:
        yield
        reach(effect, DONE)
    finally:
        reach(effect, AFTER)


def http(connection: HTTPConnection, verb: str, url: str) -> Effect:
    """An HTTP request."""
    path = urlsplit(url).path
    name = _NAMED.get((verb, path.strip("/").rpartition("/")[2]), verb.lower())

    def lose() -> Exception:
        connection.close()
        return RemoteDisconnected("Remote end closed connection without response")

    return Effect("http", name, f"{verb} {path}", lose)


def mail(connection: SMTP) -> Effect:
    """A mail: the DATA command and its text."""

    def lose() -> Exception:
        connection.close()
        return SMTPServerDisconnected("Connection unexpectedly closed")

    return Effect("mail", "mail", "DATA", lose)


def sql(connection: psycopg.Connection[Any], query: object) -> Effect:
    """A statement, COMMIT or ROLLBACK."""
    text = " ".join(_sql_text(connection, query).split())
    # Django names every column; the table is what a reader looks for.
    text = _SELECTED.sub("SELECT … FROM ", text, count=1)[:_LONGEST]
    upper = text.upper()
    text = next((word for word in _ANONYMOUS if upper.startswith(word)), text)
    name = text.partition(" ")[0].lower()
    ends = text.upper() in ("COMMIT", "ROLLBACK")

    def lose() -> Exception:
        connection.close()
        return psycopg.OperationalError(
            "consuming input failed: server closed the connection unexpectedly"
        )

    return Effect(name if ends else "sql", name, text, lose)


def _sql_text(connection: psycopg.Connection[Any], query: object) -> str:
    if isinstance(query, psycopg.sql.Composable):
        return query.as_string(connection)
    return query.decode() if isinstance(query, bytes) else str(query)


def redis_commands(connection: Any, commands: Sequence[Sequence[object]]) -> Effect:  # noqa: ANN401 - redis-py exports no type for it
    """One Redis command, or those of one pipeline."""
    shown = [" ".join(map(_plain, command[:2])) for command in commands]
    name = _plain(commands[0][0]).lower() if len(commands) == 1 else "pipeline"

    def lose() -> Exception:
        connection.disconnect()
        return redis.ConnectionError("Connection closed by server.")

    return Effect("redis", name, "; ".join(shown)[:_LONGEST], lose)


def publish(channel: amqp.Channel, exchange: str, routing_key: str) -> Effect:
    """A message to RabbitMQ; done when it is confirmed, or else when it is sent."""

    def lose() -> Exception:
        channel.connection.collect()
        said = "Server unexpectedly closed connection"
        error: Exception = amqp.RecoverableConnectionError(said)
        return error

    return Effect("amqp", "publish", f"PUBLISH {exchange or routing_key}", lose)


def _plain(word: object) -> str:
    return word.decode(errors="replace") if isinstance(word, bytes) else str(word)
