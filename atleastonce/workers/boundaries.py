"""Effect boundaries: where a task's process talks to the outside, in any module.

``install`` wraps, once per worker process, the narrowest place through which each
client library sends a request and gets its reply, so that a retry inside the library
is a boundary of its own:

- ``http.client.HTTPConnection.putrequest / endheaders / getresponse`` (``requests``,
  ``urllib3`` and ``urllib`` end there): the request is complete and unsent in
  ``endheaders``; the header ``X-Attempt`` ties the request to its message.
- ``smtplib.SMTP.data`` (``sendmail`` and Django end there), with ``NOOP attempt=...``
  before it, which RFC 5321 4.1.1.9 allows anywhere and which does nothing.
- ``psycopg.Cursor.execute / executemany`` and ``psycopg.Connection._exec_command``: the
  only way that COMMIT and ROLLBACK really take, whoever asks (psycopg 3.3); asked of an
  idle connection they send nothing, and are no boundary. BEGIN is none either: nothing
  is seen or locked by it.
- ``redis.Redis._send_command_parse_response`` and ``Pipeline._execute_transaction /
  _execute_pipeline``: below redis-py's own retry, which repeats a command whose reply
  was lost.
- ``amqp.Channel.basic_publish / basic_publish_confirm``, where kombu's messages to
  RabbitMQ end; the second waits for the broker's confirmation.

Not seen: asyncio clients, ``COPY``, ``httpx``, C libraries of other databases.
Everything is passed on unchanged outside of a task's body.
"""

from __future__ import annotations

import functools
import http.client
import smtplib
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import amqp
import psycopg
import redis

from atleastonce.workers import effects
from atleastonce.workers.effects import Effect, crossing, reach
from atleastonce.workers.plan import AFTER, BEFORE, DONE
from atleastonce.workers.running import current, watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

#: What each connection was asked last.
_requests: WeakKeyDictionary[http.client.HTTPConnection, Effect] = WeakKeyDictionary()


def install() -> None:
    """Wrap them, once."""
    if not hasattr(smtplib.SMTP.data, "__wrapped__"):
        _wrap_http()
        _wrap_smtp()
        _wrap_psycopg()
        _wrap_redis()
        _wrap_amqp()


def _wrap(
    owner: type,
    name: str,
    around: Callable[..., Any],
    when: Callable[[], object] = watcher,
) -> None:
    """Replace a method by ``around(method, self, ...)`` *when* that is true."""
    method = getattr(owner, name)

    @functools.wraps(method)
    def wrapper(self: object, *args: object, **kwargs: object) -> object:
        if not when():
            return method(self, *args, **kwargs)
        return around(method, self, *args, **kwargs)

    setattr(owner, name, wrapper)


def _name() -> str:
    """The current attempt as the other side is told it."""
    attempt = current()
    return f"{attempt.message};{attempt.number}" if attempt else ""


def _wrap_http() -> None:
    connection = http.client.HTTPConnection
    _wrap(connection, "putrequest", _http_named, current)
    _wrap(connection, "endheaders", _http_sent, current)
    _wrap(connection, "getresponse", _http_answered)


def _http_named(
    method: Callable[..., None],
    self: http.client.HTTPConnection,
    verb: str,
    url: str,
    *args: object,
    **kwargs: object,
) -> None:
    _requests[self] = effects.http(self, verb, url)
    method(self, verb, url, *args, **kwargs)


def _http_sent(
    method: Callable[..., None],
    self: http.client.HTTPConnection,
    *args: object,
    **kwargs: object,
) -> None:
    effect = _requests.get(self)
    if effect is None:
        method(self, *args, **kwargs)
        return
    self.putheader("X-Attempt", _name())
    reach(effect, BEFORE)
    try:
        method(self, *args, **kwargs)
    except Exception:
        reach(effect, AFTER)
        raise


def _http_answered(
    method: Callable[..., Any], self: http.client.HTTPConnection
) -> object:
    effect = _requests.get(self)
    if effect is None:
        return method(self)
    try:
        reply = method(self)
        reach(effect, DONE)
    finally:
        reach(effect, AFTER)
    return reply


def _wrap_smtp() -> None:
    _wrap(smtplib.SMTP, "data", _mail, current)


def _mail(method: Callable[..., Any], self: smtplib.SMTP, message: object) -> object:
    self.docmd("NOOP", f"attempt={_name()}")
    with crossing(effects.mail(self)):
        return method(self, message)


def _wrap_psycopg() -> None:
    _wrap(psycopg.Cursor, "execute", _statement)
    _wrap(psycopg.Cursor, "executemany", _statement)
    _wrap(psycopg.Connection, "_exec_command", _command)


def _statement(
    method: Callable[..., Any],
    self: psycopg.Cursor[Any],
    query: object,
    *args: object,
    **kwargs: object,
) -> object:
    with crossing(effects.sql(self.connection, query)):
        return method(self, query, *args, **kwargs)


def _command(
    method: Callable[..., Any],
    self: psycopg.Connection[Any],
    command: object,
    *args: object,
    **kwargs: object,
) -> Generator[Any, Any, Any]:
    effect = effects.sql(self, command)
    with nullcontext() if effect.name == "begin" else crossing(effect):
        return (yield from method(self, command, *args, **kwargs))


def _wrap_redis() -> None:
    _wrap(redis.Redis, "_send_command_parse_response", _redis_command)
    pipeline = redis.client.Pipeline
    _wrap(pipeline, "_execute_transaction", _redis_pipeline)
    _wrap(pipeline, "_execute_pipeline", _redis_pipeline)


def _redis_command(
    method: Callable[..., Any],
    self: redis.Redis,
    connection: Any,  # noqa: ANN401 - redis-py exports no type for it
    name: str,
    *args: object,
    **options: object,
) -> object:
    with crossing(effects.redis_commands(connection, [args])):
        return method(self, connection, name, *args, **options)


def _redis_pipeline(
    method: Callable[..., Any],
    self: redis.Redis,
    connection: Any,  # noqa: ANN401 - redis-py exports no type for it
    commands: list[tuple[tuple[object, ...], object]],
    raise_on_error: bool,  # noqa: FBT001 - redis-py's own signature
) -> object:
    with crossing(effects.redis_commands(connection, [args for args, _ in commands])):
        return method(self, connection, commands, raise_on_error)


def _wrap_amqp() -> None:
    for name in ("basic_publish", "basic_publish_confirm"):
        _wrap(amqp.Channel, name, _publish)


def _publish(
    method: Callable[..., Any],
    self: amqp.Channel,
    message: object,
    exchange: str = "",
    routing_key: str = "",
    **options: object,
) -> object:
    with crossing(effects.publish(self, exchange, routing_key)):
        return method(self, message, exchange, routing_key, **options)
