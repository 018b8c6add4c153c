"""The stack as a whole, before anything is struck: healthy, closed, modest."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import amqp
import psycopg
import pytest
import redis
import requests

if TYPE_CHECKING:
    from conftest import Stack

pytestmark = pytest.mark.xdist_group("services")

SERVICES = ("redis", "second-redis", "postgres", "rabbitmq", "mail", "gateway")
SERVICES += ("course",)
HOST = "127.0.0.1"


def test_all_of_it_is_healthy(stack: Stack) -> None:
    rows = stack.compose("ps", "--format", "json").splitlines()
    health = {row["Service"]: row["Health"] for row in map(json.loads, rows)}
    assert health == dict.fromkeys(SERVICES, "healthy")


def test_the_configuration_is_clean(stack: Stack) -> None:
    assert stack.compose("config", "-q") == ""


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_may_more_than_it_needs(stack: Stack, service: str) -> None:
    found = stack.inspect(service)
    host = found["HostConfig"]
    assert found["Config"]["User"] not in {"", "0", "root"}
    assert host["CapDrop"] == ["ALL"]
    assert "no-new-privileges:true" in host["SecurityOpt"]
    assert not host["Privileged"]
    assert host["ReadonlyRootfs"] or service == "course"
    assert 0 < host["Memory"] == host["MemorySwap"]
    assert host["RestartPolicy"]["Name"] == "unless-stopped"


def test_every_port_is_published_on_loopback_only(stack: Stack) -> None:
    for service in SERVICES:
        ports = stack.inspect(service)["NetworkSettings"]["Ports"]
        hosts = {row["HostIp"] for rows in ports.values() for row in rows or []}
        assert hosts == {HOST}, service


def test_nothing_answers_on_another_address_of_this_machine(stack: Stack) -> None:
    addresses = stack.run("hostname", "-I").split()
    others = [ip for ip in addresses if ip != HOST and ":" not in ip]
    assert others
    places = [(ip, int(port)) for ip in others for port in stack.ports.values()]
    assert [place for place in places if answers(*place)] == []


def answers(ip: str, port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(2.0)
        return client.connect_ex((ip, port)) == 0


def test_nobody_gets_in_without_a_secret(stack: Stack) -> None:
    ports = {name: int(port) for name, port in stack.ports.items()}
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(port=ports["LAB_REDIS_PORT"]).ping()
    for password in ("", "atleastonce", "postgres"):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(
                host=HOST,
                port=ports["LAB_POSTGRES_PORT"],
                user="atleastonce",
                dbname="shop",
                password=password,
            )
    guest = amqp.Connection(f"{HOST}:{ports['LAB_RABBITMQ_PORT']}", "guest", "guest")
    with pytest.raises((amqp.AccessRefused, OSError)):
        guest.connect()
    guest.collect()
    paths = {"LAB_PORT": "/api/contents", "LAB_MAIL_PORT": "/messages"}
    paths |= {"LAB_GATEWAY_PORT": "/charges", "LAB_RABBITMQ_UI_PORT": "/api/overview"}
    for name, path in paths.items():
        answer = requests.get(f"http://{HOST}:{ports[name]}{path}", timeout=5)
        assert answer.status_code in {401, 403}, name


def test_the_token_that_was_made_opens_jupyterlab(stack: Stack) -> None:
    token = (stack.state / "secrets" / "jupyter").read_text()
    url = f"http://{HOST}:{stack.ports['LAB_PORT']}/api/contents"
    answer = requests.get(url, headers={"Authorization": f"token {token}"}, timeout=20)
    names = {row["name"] for row in answer.json()["content"]}
    assert {"labs", "notebooks"} <= names


def test_secrets_are_made_once(stack: Stack) -> None:
    before = (stack.state / "secrets" / "lab.json").read_text()
    assert stack.run("sh", "docker/secrets.sh") == ""
    assert (stack.state / "secrets" / "lab.json").read_text() == before
