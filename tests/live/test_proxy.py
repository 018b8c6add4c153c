"""Each verb of the proxy does as it says to a real Redis, heals, and leaves nothing."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from atleastonce.proxy import Proxy
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.services.embedded import Embedded
    from atleastonce.services.redis import Redis

LONG = 1 << 20


@pytest.fixture
def server(shared_embedded: Embedded) -> Redis:
    shared_embedded.redis.client().flushall()
    return shared_embedded.redis


@pytest.fixture
def proxy(server: Redis) -> Iterator[Proxy]:
    with Proxy(server.port) as proxy:
        yield proxy


@pytest.fixture
def client(server: Redis, proxy: Proxy) -> Iterator[redis.Redis]:
    """Connected through the proxy already; it never tries again by itself."""
    with connect(server, proxy.port) as client:
        client.ping()
        yield client


def connect(server: Redis, port: int, timeout: float = 10.0) -> redis.Redis:
    return redis.Redis(
        port=port,
        password=server.password,
        socket_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
    )


def logged_in(server: Redis, proxy: Proxy) -> socket.socket:
    """A connection that is looked at byte by byte: redis-py hides broken ones."""
    raw = socket.create_connection(("127.0.0.1", proxy.port))
    raw.settimeout(10.0)
    raw.sendall(f"AUTH {server.password}\r\n".encode())
    assert raw.recv(100) == b"+OK\r\n"
    return raw


def ask(port: int, timeout: float = 10.0) -> bytes:
    """Connect, say something, and wait for an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as raw:
        raw.sendall(b"PING\r\n")
        return raw.recv(100)


def ended(raw: socket.socket) -> bool:
    try:
        return raw.recv(100) == b""
    except ConnectionResetError:
        return True


def seconds(call: Any) -> float:  # noqa: ANN401 - anything without arguments
    began = time.monotonic()
    call()
    return time.monotonic() - began


def test_it_passes_on_what_is_larger_than_any_buffer(client: redis.Redis) -> None:
    text = "x" * (4 * LONG)
    client.set("long", text)
    assert client.get("long") == text


def test_a_delay_makes_each_reply_late_and_heals(
    client: redis.Redis, proxy: Proxy
) -> None:
    proxy.delay(0.2)
    assert seconds(client.ping) >= 0.2
    proxy.delay(60.0)
    threading.Timer(0.1, proxy.heal).start()
    assert seconds(client.ping) < 30.0


def test_a_late_reply_means_done_and_not_known(server: Redis, proxy: Proxy) -> None:
    with logged_in(server, proxy) as raw:
        proxy.delay(60.0)
        raw.sendall(b"INCR count\r\n")
        raw.settimeout(0.1)
        with pytest.raises(TimeoutError):
            raw.recv(100)
        count = server.client()
        wait_until(lambda: count.get("count") == "1", timeout=5.0, what="the increment")
        proxy.heal()
        raw.settimeout(10.0)
        assert raw.recv(100) == b":1\r\n"


def test_a_cut_ends_connections_and_new_ones_work(
    client: redis.Redis, server: Redis, proxy: Proxy
) -> None:
    with logged_in(server, proxy) as raw:
        proxy.cut()
        with pytest.raises(ConnectionResetError):
            raw.recv(100)
    assert client.incr("count") == 1
    assert proxy.struck == 0


def test_a_cut_before_a_request_keeps_it_from_the_service(
    client: redis.Redis, proxy: Proxy
) -> None:
    proxy.cut(before=b"INCR")
    assert client.get("count") is None
    with pytest.raises(redis.ConnectionError):
        client.incr("count")
    assert client.get("count") is None
    assert client.incr("count") == 1
    assert proxy.struck == 1


def test_refused_means_refused_until_it_heals_on_the_same_port(
    client: redis.Redis, server: Redis, proxy: Proxy
) -> None:
    proxy.refuse()
    with pytest.raises(redis.ConnectionError):
        client.ping()
    for _ in range(2):
        with (
            connect(server, proxy.port) as late,
            pytest.raises(redis.ConnectionError, match="refused"),
        ):
            late.ping()
        proxy.refuse()
    proxy.heal()
    assert client.ping()


def test_what_hangs_is_accepted_and_passed_on_when_it_heals(
    server: Redis, proxy: Proxy
) -> None:
    proxy.hang()
    with (
        connect(server, proxy.port, timeout=0.1) as client,
        pytest.raises(redis.TimeoutError),
    ):
        client.ping()
    with socket.create_connection(("127.0.0.1", proxy.port)) as raw:
        raw.sendall(f"AUTH {server.password}\r\nSET held yes\r\n".encode())
        raw.settimeout(0.1)
        with pytest.raises(TimeoutError):
            raw.recv(100)
        proxy.hang()
        assert server.client().get("held") is None
        proxy.heal()
        raw.settimeout(10.0)
        assert raw.recv(5) == b"+OK\r\n"
        assert raw.recv(5) == b"+OK\r\n"
    assert server.client().get("held") == "yes"


def test_a_lost_reply_means_done_and_a_broken_connection(
    client: redis.Redis, server: Redis, proxy: Proxy
) -> None:
    proxy.lose_reply(after=b"LPUSH")
    assert client.incr("other") == 1
    with pytest.raises(redis.ConnectionError, match="reset by peer"):
        client.lpush("queue", "one")
    assert server.client().lrange("queue", 0, -1) == ["one"]
    assert client.lpush("queue", "two") == 2
    assert proxy.struck == 1


def test_replies_are_lost_as_often_as_asked(client: redis.Redis, proxy: Proxy) -> None:
    proxy.lose_reply(after=b"INCR", times=2)
    for _ in range(2):
        with pytest.raises(redis.ConnectionError):
            client.incr("count")
    assert client.incr("count") == 3
    assert proxy.struck == 2


def test_any_request_can_lose_its_reply(client: redis.Redis, proxy: Proxy) -> None:
    proxy.lose_reply()
    with pytest.raises(redis.ConnectionError):
        client.ping()
    assert client.ping()


def test_a_word_is_found_where_the_request_is_split(
    client: redis.Redis, server: Redis, proxy: Proxy
) -> None:
    proxy.lose_reply(after=b"MARK")
    with logged_in(server, proxy) as raw:
        # The reply to the first means that the proxy has passed on both.
        raw.sendall(b"PING\r\nSET a MA")
        assert raw.recv(100) == b"+PONG\r\n"
        raw.sendall(b"RK\r\n")
        with pytest.raises(ConnectionResetError):
            raw.recv(100)
    assert client.get("a") == "MARK"


def test_a_healed_proxy_loses_no_reply(client: redis.Redis, proxy: Proxy) -> None:
    proxy.lose_reply(after=b"INCR")
    proxy.heal()
    assert client.incr("count") == 1
    assert proxy.struck == 0


def test_a_crashed_service_ends_its_connections(
    client: redis.Redis, server: Redis, proxy: Proxy
) -> None:
    with logged_in(server, proxy) as raw:
        server.crash()
        assert ended(raw)
    assert client.ping()


def test_a_service_that_is_down_resets_its_clients() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with (
            Proxy(nobody.getsockname()[1]) as proxy,
            pytest.raises(ConnectionResetError),
        ):
            ask(proxy.port)


def test_the_service_sees_a_client_leave(server: Redis, proxy: Proxy) -> None:
    before = len(server.client().client_list())
    with connect(server, proxy.port) as client:
        client.ping()
        assert len(server.client().client_list()) == before + 1
    wait_until(
        lambda: len(server.client().client_list()) == before,
        timeout=5.0,
        what="the service to see it",
    )


@pytest.mark.parametrize("verb", ["heal", "hang", "refuse", "cut", "lose_reply"])
def test_closing_it_leaves_no_thread_and_no_socket(server: Redis, verb: str) -> None:
    def opened() -> tuple[int, int]:
        return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))

    server.client().ping()
    before = opened()
    with Proxy(server.port) as proxy, logged_in(server, proxy):
        getattr(proxy, verb)()
        with suppress(OSError):
            ask(proxy.port, timeout=0.1)
    proxy.close()
    assert opened() == before


def test_two_proxies_do_not_meet(server: Redis) -> None:
    with Proxy(server.port) as first, Proxy(server.port) as second:
        first.refuse()
        with connect(server, second.port) as client:
            assert client.ping()
