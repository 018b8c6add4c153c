"""Each fault of each handle on the host, and what is kept and what is lost."""

from __future__ import annotations

import os
import smtplib
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from functools import partial
from typing import TYPE_CHECKING, Any

import amqp
import pytest
import requests

from atleastonce.services.compose import Compose
from atleastonce.services.postgres import Postgres
from atleastonce.services.rabbitmq import RabbitMQ
from atleastonce.services.redis import Redis
from atleastonce.services.service import VERBS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Stack

    from atleastonce.services.base import Services
    from atleastonce.services.gateway import Gateway
    from atleastonce.services.mail import Mail
    from atleastonce.services.service import Service

pytestmark = pytest.mark.xdist_group("services")

NAMES = ("redis", "second_redis", "postgres", "rabbitmq", "mail", "gateway")
SNAPSHOTS = {"save": "3600 1 300 100 60 10000"}
AOF = {"appendonly": "yes", "appendfsync": "always"}
#: Seconds; what is waited for takes milliseconds, but all cores may be busy.
PATIENCE = 60.0


def publish(services: Services, **options: object) -> None:
    with services.rabbitmq.connect() as connection, connection.channel() as channel:
        channel.queue_declare("kept", durable=True, auto_delete=False)
        for mode in (1, 2):
            message = amqp.Message("x", delivery_mode=mode)
            channel.basic_publish_confirm(message, routing_key="kept", **options)


def send(services: Services) -> None:
    mail = EmailMessage()
    mail["To"], mail["From"], mail["Subject"] = "ann@example.com", "s@x.com", "Hello"
    with smtplib.SMTP(services.mail.host, services.mail.port, timeout=5) as smtp:
        smtp.send_message(mail)


def charge(services: Services) -> None:
    body = {"customer": "ann", "amount": "30.00", "reference": "order-1"}
    answer = requests.post(f"{services.gateway.url}/charges", json=body, timeout=5)
    assert answer.status_code == 201, answer.text


@contextmanager
def connected(handle: Service) -> Iterator[socket.socket]:
    """The socket of a client of *handle*, which is let in where that takes a word."""
    if isinstance(handle, Postgres | RabbitMQ):
        kept: Any = handle.connect()
        postgres = isinstance(handle, Postgres)
        number = kept.fileno() if postgres else kept.sock.fileno()
        with socket.socket(fileno=os.dup(number)) as client:
            yield client
        (kept.close if postgres else kept.collect)()
        return
    with socket.create_connection((handle.host, handle.port), PATIENCE) as client:
        if isinstance(handle, Redis):
            # Its answer to a stranger; before it, it may not know of us yet.
            client.sendall(b"PING\r\n")
            assert client.recv(100).startswith(b"-NOAUTH")
        yield client


def hung_up(client: socket.socket) -> bool:
    """True when the other side closes the connection; its last words are read."""
    client.settimeout(PATIENCE)
    try:
        while client.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


def can_do_everything(_: Services, handle: Service) -> None:
    assert all(handle.supports(verb) for verb in VERBS)


def pid(handle: Service) -> int:
    return int(handle.process.inspect()["State"]["Pid"])


def stands_still_is_away_and_dies(_: Services, handle: Service) -> None:
    handle.freeze()
    assert not handle.ping()
    handle.thaw()
    handle.wait_ready(PATIENCE)
    handle.stop()
    assert not handle.process.alive
    assert not handle.ping()
    handle.start()
    before = pid(handle)
    handle.crash()
    handle.wait_ready(PATIENCE)
    assert pid(handle) != before


def comes_back_from_a_clean_restart(_: Services, handle: Service) -> None:
    with connected(handle) as client:
        handle.restart()
        assert hung_up(client)
    handle.wait_ready(PATIENCE)


def is_cut_and_lives(_: Services, handle: Service) -> None:
    before = pid(handle)
    with connected(handle) as client:
        handle.cut()
        assert hung_up(client)
    handle.wait_ready(PATIENCE)
    assert pid(handle) == before


def keeps_what_it_is_told(
    _: Services, redis: Redis, directives: dict[str, str], end: str, kept: int
) -> None:
    with redis.configured(**directives):
        redis.client().rpush("jobs", *range(100))
        getattr(redis, end)()
        assert redis.client().llen("jobs") == kept
    redis.crash()
    assert redis.client().llen("jobs") == 0


def waits_for_a_save_of_its_own(_: Services, redis: Redis) -> None:
    client = redis.client()
    client.rpush("jobs", 1)
    client.config_set("rdb-key-save-delay", 500_000)  # microseconds for each key
    client.bgsave()
    client.config_set("rdb-key-save-delay", 0)
    with redis.configured(**SNAPSHOTS):
        redis.crash()
        assert redis.client().llen("jobs") == 1


def keeps_what_was_committed(_: Services, postgres: Postgres) -> None:
    postgres.rows("CREATE TABLE kept (n int)")
    postgres.rows("INSERT INTO kept VALUES (1)")
    with postgres.connect() as other:
        other.autocommit = False
        other.execute("INSERT INTO kept VALUES (2)")
        postgres.crash()
        other.close()
    assert postgres.rows("SELECT n FROM kept") == [(1,)]


def keeps_persistent_messages(services: Services, rabbitmq: RabbitMQ) -> None:
    publish(services)
    assert rabbitmq.queues()["kept"].ready == 2
    rabbitmq.crash()
    assert rabbitmq.queues()["kept"].ready == 1
    rabbitmq.restart()
    assert rabbitmq.queues()["kept"].ready == 1


def keeps_mails(services: Services, mail: Mail) -> None:
    send(services)
    mail.crash()
    assert [found["subject"] for found in mail.messages()] == ["Hello"]
    assert events(services, "mail") == ["effect"]


def keeps_charges(services: Services, gateway: Gateway) -> None:
    charge(services)
    gateway.crash()
    assert [row["amount"] for row in gateway.charges()] == ["30.00"]
    assert events(services, "gateway") == ["effect"]


def events(services: Services, lane: str) -> list[str]:
    return [event.kind for event in services.events.read()[0] if event.lane == lane]


def keeps(directives: dict[str, str], end: str, kept: int) -> Callable[..., None]:
    how = {"directives": directives, "end": end, "kept": kept}
    return partial(keeps_what_it_is_told, **how)


#: What each service goes through, in this order.
FAULTS: dict[str, dict[str, Callable[..., None]]] = {
    name: {
        "can do everything": can_do_everything,
        "stands still, is away and dies": stands_still_is_away_and_dies,
        "comes back from a clean restart": comes_back_from_a_clean_restart,
    }
    for name in NAMES
}
for _name in ("redis", "second_redis", "postgres", "rabbitmq"):
    FAULTS[_name]["is cut and lives"] = is_cut_and_lives
FAULTS["redis"] |= {
    "keeps nothing, crash": keeps({}, "crash", 0),
    "snapshots, crash": keeps(SNAPSHOTS, "crash", 0),
    "snapshots, restart": keeps(SNAPSHOTS, "restart", 100),
    "append-only file, crash": keeps(AOF, "crash", 100),
    "append-only file, restart": keeps(AOF, "restart", 100),
    # Nothing of the earlier ones comes back.
    "snapshots again, crash": keeps(SNAPSHOTS | {"maxmemory": "64mb"}, "crash", 0),
    "waits for a save of its own": waits_for_a_save_of_its_own,
}
FAULTS["postgres"]["keeps what was committed"] = keeps_what_was_committed
FAULTS["rabbitmq"]["keeps persistent messages"] = keeps_persistent_messages
FAULTS["mail"]["keeps mails"] = keeps_mails
FAULTS["gateway"]["keeps charges"] = keeps_charges


@pytest.fixture(scope="module")
def struck(stack: Stack) -> dict[tuple[str, str], Future[None]]:
    """How each service took each fault; all are struck at once: they mostly wait."""
    with (
        pytest.MonkeyPatch.context() as patch,
        Compose("test", settings=stack.settings(patch)) as services,
        ExitStack() as lanes,
    ):
        return {
            (name, fault): lane.submit(strike, services, getattr(services, name))
            for name, faults in FAULTS.items()
            for lane in [lanes.enter_context(ThreadPoolExecutor(1))]
            for fault, strike in faults.items()
        }


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name in NAMES for fault in FAULTS[name]]
)
def test_a_service_is_struck(
    struck: dict[tuple[str, str], Future[None]], name: str, fault: str
) -> None:
    struck[name, fault].result()
