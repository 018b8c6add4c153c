"""A RabbitMQ node of one lab: what it keeps, what it loses, and that it stays alone."""

from __future__ import annotations

import ipaddress
import json
import signal
import socket
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import amqp
import psutil
import pytest

from atleastonce.errors import NoService, ServiceError
from atleastonce.services import binaries
from atleastonce.services import reaper as proc
from atleastonce.services.depths import Depth
from atleastonce.services.embedded import Embedded
from atleastonce.services.folder import LabFolder
from atleastonce.services.process import child_env
from atleastonce.services.rabbitmq import RabbitMQ
from atleastonce.settings import Settings
from atleastonce.waiting import pause, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.live.conftest import Owner

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_rabbitmq")]
#: After the owner's death nothing is left for longer than this. Seconds.
GONE = 2.0
QUORUM = {"x-queue-type": "quorum"}


@contextmanager
def opened() -> Iterator[RabbitMQ]:
    folder = LabFolder("rabbit")
    try:
        made = RabbitMQ(folder, Settings.from_env())
        made.start()
        yield made
    finally:
        folder.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[RabbitMQ]:
    with opened() as made:
        yield made


@pytest.fixture
def node(shared: RabbitMQ) -> RabbitMQ:
    """The module's node, with no queue."""
    shared.clear()
    return shared


def publish(channel: amqp.Channel, queue: str, count: int, *, kept: bool) -> None:
    mode = 2 if kept else 1
    for _ in range(count):
        message = amqp.Message("text", delivery_mode=mode)
        channel.basic_publish_confirm(message, routing_key=queue)


def fill(node: RabbitMQ, queue: str = "orders", **how: object) -> None:
    """Two persistent messages and three transient ones in a durable *queue*."""
    with node.connect() as connection, connection.channel() as channel:
        channel.queue_declare(queue, durable=True, auto_delete=False, **how)
        publish(channel, queue, 2, kept=True)
        publish(channel, queue, 3, kept=False)


def family(node: RabbitMQ) -> set[int]:
    return proc.members([str(node.folder.path)], proc.table())


# What it keeps, and what it loses.


def test_a_restart_keeps_what_is_persistent_in_durable_queues(node: RabbitMQ) -> None:
    pid, port = node.process.pid, node.port
    fill(node)
    with node.connect() as connection, connection.channel() as channel:
        channel.queue_declare("passing", durable=False, auto_delete=False)
        publish(channel, "passing", 1, kept=True)
    assert {q: d.ready for q, d in node.queues().items()} == {"orders": 5, "passing": 1}
    node.restart()
    assert {q: d.ready for q, d in node.queues().items()} == {"orders": 2}
    assert (node.process.pid, node.port) == (pid, port)


def test_a_restart_disconnects_clients(node: RabbitMQ) -> None:
    connection = node.connect()
    node.restart()
    with pytest.raises((OSError, amqp.AMQPError)):
        connection.drain_events(timeout=5)
    connection.collect()


def test_a_crash_keeps_the_same_in_another_process(node: RabbitMQ) -> None:
    pid, port = node.process.pid, node.port
    fill(node)
    node.crash()
    assert node.queues() == {"orders": Depth(ready=2, unacked=0, consumers=0)}
    assert node.process.pid != pid
    assert node.port == port


def test_a_clean_stop_keeps_the_same(node: RabbitMQ) -> None:
    fill(node)
    node.stop()
    assert family(node) == set()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", node.port), 1)
    node.restart()  # of what is stopped: a start
    assert node.queues()["orders"].ready == 2


def test_a_frozen_node_answers_when_it_is_thawed(node: RabbitMQ) -> None:
    node.freeze()
    assert not node.ping()
    node.thaw()
    assert node.ping()
    node.freeze()
    node.restart()
    assert node.ping()


def test_a_cut_puts_back_what_clients_held(node: RabbitMQ) -> None:
    fill(node)
    connection = node.connect()
    channel = connection.channel()
    held = [channel.basic_get("orders") for _ in range(2)]
    assert all(held)
    assert node.queues()["orders"] == Depth(ready=3, unacked=2, consumers=0)
    node.cut()
    wait_until(
        lambda: node.queues()["orders"].ready == 5, timeout=5, what="five messages"
    )
    with pytest.raises((OSError, amqp.AMQPError)):
        connection.drain_events(timeout=5)
    connection.collect()


def test_all_verbs_are_supported(node: RabbitMQ) -> None:
    assert all(map(node.supports, ["crash", "freeze", "thaw", "cut", "restart"]))


# What it shows.


@pytest.mark.parametrize("arguments", [{}, QUORUM], ids=["classic", "quorum"])
def test_depths_are_exact_at_once(node: RabbitMQ, arguments: dict[str, str]) -> None:
    with node.connect() as connection, connection.channel() as channel:
        channel.queue_declare("q", durable=True, auto_delete=False, arguments=arguments)
        for n in range(1, 6):
            publish(channel, "q", 1, kept=True)
            assert node.queues() == {"q": Depth(ready=n, unacked=0, consumers=0)}
        message = channel.basic_get("q")
        assert node.queues()["q"][:2] == (4, 1)
        channel.basic_ack(message.delivery_tag)
        wait_until(lambda: node.queues()["q"][:2] == (4, 0), timeout=5, what="the ack")
        channel.basic_consume("q", callback=lambda _: None)
        assert node.queues()["q"].consumers == 1


def test_the_queues_by_which_workers_talk_are_left_out(node: RabbitMQ) -> None:
    with node.connect() as connection, connection.channel() as channel:
        for name in ("w1@lab.celery.pidbox", "celeryev.1", "mail"):
            channel.queue_declare(name, auto_delete=False)
    assert list(node.queues()) == ["mail"]


def test_clear_leaves_no_queue(node: RabbitMQ) -> None:
    fill(node)
    fill(node, "quorum", arguments=QUORUM)
    node.clear()
    assert node.queues() == {}


def test_erlang_is_evaluated_in_the_node(node: RabbitMQ) -> None:
    assert node.evaluate("1 + 1") == "2"
    assert node.evaluate('<<"caf\\x{e9}"/utf8>>') == "café"
    assert node.evaluate("application:get_env(rabbit, no_such_key)") == "undefined"


@pytest.mark.parametrize("wrong", ["1 +", "no:such()", "1 = 2", "Unknown"])
def test_what_erlang_refuses_is_one_clear_error(node: RabbitMQ, wrong: str) -> None:
    with pytest.raises(ServiceError, match="refused"):
        node.evaluate(wrong)
    assert node.ping()


def test_a_question_to_a_stopped_node_says_what_to_try(tmp_path: Path) -> None:
    from atleastonce.services.console import Console  # noqa: PLC0415 - this test only

    (tmp_path / "rabbitmq").mkdir()
    with pytest.raises(ServiceError, match="did not answer") as caught:
        Console(tmp_path).ask("1")
    assert "start()" in caught.value.attempt


# That it stays alone.


def test_it_listens_on_loopback_only(node: RabbitMQ) -> None:
    listening = [
        connection.laddr
        for pid in family(node)
        for connection in psutil.Process(pid).net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    # AMQP, the distribution, and the port mapper.
    assert len({address.port for address in listening}) == 3
    assert all(ipaddress.ip_address(address.ip).is_loopback for address in listening)


@pytest.mark.parametrize("user", [("guest", "guest"), ("atleastonce", "wrong")])
def test_nobody_else_is_let_in(node: RabbitMQ, user: tuple[str, str]) -> None:
    name, password = user
    connection = amqp.Connection(
        f"127.0.0.1:{node.port}", userid=name, password=password, connect_timeout=5
    )
    with pytest.raises((amqp.AccessRefused, OSError)):
        connection.connect()
    connection.collect()


def test_no_secret_stands_in_a_command_line_or_an_open_file(node: RabbitMQ) -> None:
    home = node.folder.path / "rabbitmq"
    cookie = (home / ".erlang.cookie").read_text()
    for pid in family(node):
        said = " ".join(psutil.Process(pid).cmdline())
        assert node.password not in said
        assert cookie not in said
    for path in (home / ".erlang.cookie", home / "rabbitmq.config", home):
        assert path.stat().st_mode & 0o077 == 0
    assert node.password not in (node.folder.path / "log/rabbitmq.log").read_text()


def test_two_nodes_never_meet(node: RabbitMQ) -> None:
    fill(node)
    with opened() as other:
        assert other.queues() == {}
        assert other.password != node.password
        cookies = [one.evaluate("erlang:get_cookie()") for one in (node, other)]
        assert cookies[0] != cookies[1]
        for one in (node, other):
            assert one.evaluate("nodes()") == ""
            assert one.evaluate("[N || {N, _} <- element(2, net_adm:names())]") == (
                "rabbit"
            )
    assert node.queues()["orders"].ready == 5


def test_it_takes_nothing_from_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RABBITMQ_NODENAME", "other")
    monkeypatch.setenv("ERL_FLAGS", "-nonsense")
    assert not [name for name in child_env() if name.startswith(("RABBITMQ", "ERL"))]


# That nothing of it is left.


def test_close_leaves_no_process_of_it() -> None:
    with opened() as node:
        names = {psutil.Process(pid).name() for pid in family(node)}
        assert {"beam.smp", "epmd"} <= names
    assert family(node) == set()
    assert not node.folder.path.exists()


@pytest.mark.parametrize("body", ["", "e.rabbitmq.freeze(); "], ids=["up", "frozen"])
def test_a_killed_owner_leaves_no_node(owner: Callable[..., Owner], body: str) -> None:
    made = owner(f"e.rabbitmq.ping(); {body}print('', flush=True)").opened()
    assert made.process.stdout
    made.process.stdout.readline()
    assert len(proc.members([made.folder], proc.table())) >= 6
    made.signal(signal.SIGKILL)
    wait_until(lambda: gone(made), timeout=GONE, what="the lab to be gone")


@pytest.mark.parametrize("moment", [0.0, 0.3, 1.0])
def test_an_owner_that_is_killed_while_it_starts_leaves_nothing(
    owner: Callable[..., Owner], moment: float
) -> None:
    made = owner("e.begin_rabbitmq(); print('', flush=True)").opened()
    assert made.process.stdout
    made.process.stdout.readline()
    pause(moment)
    made.signal(signal.SIGKILL)
    wait_until(lambda: gone(made), timeout=GONE, what="the lab to be gone")


def gone(made: Owner) -> bool:
    rows = proc.table()
    left = proc.members([made.folder], rows) or Path(made.folder).exists()
    return not left and made.reaper not in rows


# Where it is missing, and when it starts.


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "_system_rabbitmq", lambda _settings: iter(()))


def test_a_lab_starts_no_node_unless_it_is_asked(embedded: Embedded) -> None:
    assert not embedded.has_rabbitmq
    assert embedded.addresses.rabbitmq_port == 0
    assert not (embedded.folder / "rabbitmq").exists()
    node = embedded.rabbitmq
    assert node is embedded.rabbitmq
    at = json.loads(embedded.lab_file.read_text())
    assert (at["rabbitmq_port"], at["rabbitmq_password"]) == (node.port, node.password)
    assert embedded.addresses.rabbitmq_url() == node.url


@pytest.mark.usefixtures("missing")
def test_a_lab_opens_without_it_and_says_what_to_install() -> None:
    with Embedded("without") as services:
        services.begin_rabbitmq()
        for _ in range(2):
            with pytest.raises(NoService, match="No RabbitMQ") as caught:
                _ = services.rabbitmq
            assert caught.value.attempt == "sudo apt install rabbitmq-server"


def test_a_named_script_that_is_not_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ATLEASTONCE_RABBITMQ_SERVER", "/nowhere/rabbitmq-server")
    with pytest.raises(NoService, match="/nowhere/rabbitmq-server") as caught:
        binaries.find_rabbitmq(Settings.from_env())
    assert caught.value.attempt == "unset ATLEASTONCE_RABBITMQ_SERVER"


def test_without_erlang_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NoService, match="Erlang"):
        binaries.find_epmd()


def test_a_package_s_wrapper_leads_to_the_script_that_it_wraps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As Debian lays it out: a link to a wrapper, beside links to the real scripts."""
    real, wrapped = tmp_path / "rabbitmq_server-9.8.7/sbin", tmp_path / "bin"
    for folder in (real, wrapped, real.with_name("plugins") / "rabbit-9.8.7"):
        folder.mkdir(parents=True)
    for name in ("rabbitmq-server", "rabbitmq-env"):
        (real / name).touch(mode=0o755)
        (wrapped / name).symlink_to(real / name)
    (wrapped / "rabbitmq-script-wrapper").touch(mode=0o755)
    (tmp_path / "rabbitmq-server").symlink_to(wrapped / "rabbitmq-script-wrapper")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = binaries.find_rabbitmq(Settings.from_env())
    assert found.path == real / "rabbitmq-server"
    assert (found.version, found.major) == ("9.8.7", 9)
