"""Each fault of each handle on the host, and what is kept and what is lost."""

from __future__ import annotations

import os
import smtplib
import socket
from contextlib import contextmanager
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any

import amqp
import pytest
import requests

from atleastonce.errors import ServiceError
from atleastonce.services.postgres import Postgres
from atleastonce.services.rabbitmq import RabbitMQ
from atleastonce.services.redis import Redis
from atleastonce.services.service import VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.services.base import Services
    from atleastonce.services.service import Service

NAMES = ("redis", "second_redis", "postgres", "rabbitmq", "mail", "gateway")
SNAPSHOTS = {"save": "3600 1 300 100 60 10000"}
AOF = {"appendonly": "yes", "appendfsync": "always"}
#: Seconds; what is waited for takes milliseconds, but all cores may be busy.
PATIENCE = 60.0


def jobs(services: Services) -> int:
    return int(services.redis.client().llen("jobs"))


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
        number = kept.fileno() if handle.name == "postgres" else kept.sock.fileno()
        with socket.socket(fileno=os.dup(number)) as client:
            yield client
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


def test_here_every_service_can_do_everything(services: Services) -> None:
    for name in NAMES:
        handle = getattr(services, name)
        assert all(handle.supports(verb) for verb in VERBS), name


@pytest.mark.parametrize("name", NAMES)
def test_a_service_stands_still_is_away_and_dies(services: Services, name: str) -> None:
    handle = getattr(services, name)
    handle.freeze()
    assert not handle.ping()
    handle.thaw()
    handle.wait_ready(PATIENCE)
    handle.stop()
    assert not handle.process.alive
    assert not handle.ping()
    handle.start()
    before = handle.process.inspect()["State"]["Pid"]
    handle.crash()
    assert handle.ping()
    assert handle.process.inspect()["State"]["Pid"] != before


@pytest.mark.parametrize("name", NAMES)
def test_a_clean_restart_comes_back(services: Services, name: str) -> None:
    handle = getattr(services, name)
    with connected(handle) as client:
        handle.restart()
        assert hung_up(client)
    assert handle.ping()


@pytest.mark.parametrize("name", ["redis", "second_redis", "postgres", "rabbitmq"])
def test_a_cut_ends_connections_and_no_more(services: Services, name: str) -> None:
    handle = getattr(services, name)
    before = handle.process.inspect()["State"]["Pid"]
    with connected(handle) as client:
        handle.cut()
        assert hung_up(client)
    assert handle.ping()
    assert handle.process.inspect()["State"]["Pid"] == before


@pytest.mark.parametrize(
    ("directives", "end", "kept"),
    [
        ({}, "crash", 0),
        (SNAPSHOTS, "crash", 0),
        (SNAPSHOTS, "restart", 100),
        (AOF, "crash", 100),
        (AOF, "restart", 100),
        # Nothing of the earlier ones comes back.
        (SNAPSHOTS | {"maxmemory": "64mb"}, "crash", 0),
    ],
)
def test_redis_keeps_what_it_is_told_to_keep(
    services: Services, directives: dict[str, str], end: str, kept: int
) -> None:
    with services.redis.configured(**directives):
        services.redis.client().rpush("jobs", *range(100))
        getattr(services.redis, end)()
        assert jobs(services) == kept
    services.redis.crash()
    assert jobs(services) == 0


def test_a_save_of_its_own_is_waited_for(services: Services) -> None:
    client = services.redis.client()
    client.rpush("jobs", 1)
    client.config_set("rdb-key-save-delay", 500_000)  # microseconds for each key
    client.bgsave()
    client.config_set("rdb-key-save-delay", 0)
    with services.redis.configured(**SNAPSHOTS):
        services.redis.crash()
        assert jobs(services) == 1


def test_postgres_keeps_what_was_committed(services: Services) -> None:
    services.postgres.rows("CREATE TABLE kept (n int)")
    services.postgres.rows("INSERT INTO kept VALUES (1)")
    with services.postgres.connect() as other:
        other.autocommit = False
        other.execute("INSERT INTO kept VALUES (2)")
        services.postgres.crash()
        other.close()
    assert services.postgres.rows("SELECT n FROM kept") == [(1,)]


def test_rabbitmq_keeps_persistent_messages_of_durable_queues(
    services: Services,
) -> None:
    publish(services)
    assert services.rabbitmq.queues()["kept"].ready == 2
    services.rabbitmq.crash()
    assert services.rabbitmq.queues()["kept"].ready == 1
    services.rabbitmq.restart()
    assert services.rabbitmq.queues()["kept"].ready == 1


def test_mails_and_charges_outlive_a_crash(services: Services) -> None:
    send(services)
    charge(services)
    services.mail.crash()
    services.gateway.crash()
    assert [mail["subject"] for mail in services.mail.messages()] == ["Hello"]
    assert [row["amount"] for row in services.gateway.charges()] == ["30.00"]
    seen = [(event.lane, event.kind) for event in services.events.read()[0]]
    assert seen == [("mail", "effect"), ("gateway", "effect")]


def test_a_killed_lab_leaves_no_settings_behind(services: Services) -> None:
    services.redis.client().config_set("maxmemory", "1mb")
    services.gateway.knobs(status=500)
    services.redis.freeze()
    services.close()
    with type(services)("next", settings=services._settings) as found:
        assert found.redis.client().config_get("maxmemory") == {"maxmemory": "0"}
        charge(found)


def test_one_lab_at_a_time(services: Services) -> None:
    with pytest.raises(ServiceError, match="Another lab uses the containers"):
        type(services)("second", settings=services._settings)
