"""What all four services of a lab have in common."""

from __future__ import annotations

import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce.addresses import Addresses
from atleastonce.errors import ServiceError
from atleastonce.services import reaper as proc
from atleastonce.services.embedded import Embedded

if TYPE_CHECKING:
    from atleastonce.services.service import Service


@pytest.fixture(params=["redis", "postgres", "mail", "gateway"])
def service(request: pytest.FixtureRequest, shared_embedded: Embedded) -> Service:
    found: Service = getattr(shared_embedded, request.param)
    return found


def test_a_crashed_service_is_back_on_its_port_as_another_process(
    service: Service,
) -> None:
    port, pid = service.port, service.process.pid
    service.crash()
    assert service.ping()
    assert service.port == port
    assert service.process.pid != pid


def test_a_restarted_service_is_back_on_its_port(service: Service) -> None:
    port = service.port
    service.restart()
    assert service.ping()
    assert service.port == port


def test_a_frozen_service_does_not_answer_until_it_is_thawed(service: Service) -> None:
    service.freeze()
    assert not service.ping()
    service.thaw()
    service.wait_ready(10)


def test_a_frozen_service_can_crash(service: Service) -> None:
    service.freeze()
    service.crash()
    assert service.ping()


def test_a_stopped_service_refuses_connections_and_starts_again(
    service: Service,
) -> None:
    service.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", service.port), 1)
    service.start()
    assert service.ping()


def test_waiting_for_a_service_that_ended_names_its_exit_and_log(
    service: Service,
) -> None:
    service.process.kill()
    with pytest.raises(
        ServiceError, match=f"{service.name} .*has ended; exit status -9"
    ):
        service.wait_ready()
    service.start()


def test_every_verb_is_supported(service: Service) -> None:
    assert all(map(service.supports, ["crash", "freeze", "thaw", "cut", "restart"]))
    assert not service.supports("fly")


@pytest.mark.parametrize("service", ["redis", "mail", "gateway"], indirect=True)
def test_a_cut_closes_a_client_that_was_connected(service: Service) -> None:
    with socket.create_connection(("127.0.0.1", service.port), 5) as client:
        if service.name == "mail":
            client.recv(1000)
        if service.name == "gateway":
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            client.recv(1000)
        service.cut()
        client.settimeout(5)
        try:
            rest = client.recv(1000)
            while rest:
                rest = client.recv(1000)
        except ConnectionResetError:
            rest = b""
    assert rest == b""
    assert service.ping()


def test_no_secret_stands_in_a_command_line(shared_embedded: Embedded) -> None:
    at = shared_embedded.addresses
    lab = proc.members([at.folder], proc.table())
    lines = b"".join(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in lab)
    assert len(lab) >= 4
    for secret in (at.secret, at.redis_password, at.postgres_password):
        assert len(secret) == 32
        assert secret.encode() not in lines


def test_everything_listens_on_loopback_only(shared_embedded: Embedded) -> None:
    at = shared_embedded.addresses
    mail, gateway = (
        int(url.rpartition(":")[2]) for url in (at.mail_url, at.gateway_url)
    )
    ours = {at.redis_port, at.postgres_port, at.smtp_port, mail, gateway}
    hosts = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            host, port = line.split()[1].split(":")
            if line.split()[3] == "0A" and int(port, 16) in ours:
                hosts[int(port, 16)] = host
    assert hosts == dict.fromkeys(ours, "0100007F")


def test_the_lab_file_is_the_owners_alone(shared_embedded: Embedded) -> None:
    assert stat.S_IMODE(shared_embedded.lab_file.stat().st_mode) == 0o600
    assert Addresses.load(shared_embedded.lab_file) == shared_embedded.addresses


def test_two_labs_open_at_once_never_meet(shared_embedded: Embedded) -> None:
    first = shared_embedded
    with Embedded("other") as second:
        first.redis.client().set("whose", "first")
        second.redis.client().set("whose", "second")
        first.postgres.rows("CREATE TABLE whose AS SELECT 1")
        assert first.redis.client().get("whose") == "first"
        assert second.postgres.rows("SELECT to_regclass('whose')") == [(None,)]
        one, two = first.addresses, second.addresses
        assert one.secret != two.secret
        assert one.redis_password != two.redis_password
        assert one.postgres_password != two.postgres_password
        assert first.folder != second.folder
    assert first.redis.ping()
    first.postgres.rows("DROP TABLE whose")


def test_a_lab_can_be_closed_twice_and_starts_nothing_afterwards() -> None:
    services = Embedded("twice")
    services.close()
    services.close()
    assert not services.folder.exists()
    with pytest.raises(ServiceError, match="closed"):
        services.redis.start()
