"""The payment provider, as a real process behind a real port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
import requests

from atleastonce import shop
from atleastonce.addresses import Addresses
from atleastonce.eventlog import EventLog
from atleastonce.shop import payments
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.live
SECRET = {"X-Lab-Secret": "lab-secret"}
ANN = {"customer": "ann", "amount": "30.00", "reference": "order-1"}
#: Seconds within which a healthy gateway answers, however busy the machine is.
SOON = 30.0


class PortTaken(Exception):
    """Someone else got the free port first."""


class Gateway:
    """A gateway process of a lab of its own, and a client for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = EventLog(folder / "events.jsonl")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.addresses = Addresses(
            folder=str(folder),
            events=str(self.log.path),
            secret=SECRET["X-Lab-Secret"],
            gateway_url=self.url,
        )
        self.addresses.save(folder / "lab.json")
        self.start()

    def start(self) -> None:
        with (self.folder / "gateway.log").open("ab") as log:
            self.process = subprocess.Popen(
                gateway_command(self.port),
                env={**os.environ, "ATLEASTONCE_LAB_FILE": f"{self.folder}/lab.json"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(self.answers, timeout=SOON, what="the gateway", seen=self.output)

    def answers(self) -> bool:
        if self.process.poll() is not None:
            raise PortTaken(self.output())
        try:
            return requests.get(f"{self.url}/health", timeout=SOON).ok
        except requests.ConnectionError:
            return False

    def output(self) -> str:
        return (self.folder / "gateway.log").read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(SOON)

    def charge(
        self,
        body: Any = ANN,  # noqa: ANN401 - any JSON
        *,
        key: str | None = None,
        client: str = "shop",
        tie: str = "",
        timeout: float = SOON,
    ) -> requests.Response:
        headers = {"Authorization": f"Bearer {client}", "X-Attempt": tie}
        if key is not None:
            headers["Idempotency-Key"] = key
        return requests.post(
            f"{self.url}/charges", json=body, headers=headers, timeout=timeout
        )

    def knobs(self, **knobs: Any) -> None:  # noqa: ANN401 - any JSON
        answer = requests.post(
            f"{self.url}/knobs", json=knobs, headers=SECRET, timeout=SOON
        )
        assert answer.status_code == 200, answer.text

    def read(self, what: str) -> list[dict[str, Any]]:
        answer = requests.get(f"{self.url}/{what}", headers=SECRET, timeout=SOON)
        return answer.json()[what]

    def answered(self) -> list[Any]:
        return [row["answer"] for row in self.read("requests")]

    def events(self) -> list[tuple[str, str]]:
        found, _ = self.log.read()
        assert {event.lane for event in found} <= {"gateway"}
        return [(event.kind, event.text) for event in found]


def gateway_command(port: int) -> list[str]:
    return [sys.executable, "-m", "atleastonce.shop.gateway", "--port", str(port)]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def opened(folder: Path, tries: int = 5) -> Gateway:
    try:
        return Gateway(folder)
    except PortTaken:
        if not tries:
            raise
        return opened(folder, tries - 1)


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    found = opened(tmp_path)
    yield found
    found.kill()
    assert "Traceback" not in found.output()


def test_a_charge_is_made_and_kept_in_the_ledger(gateway: Gateway) -> None:
    answer = gateway.charge()
    assert answer.status_code == 201
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    assert answer.json() == {"id": "ch_1", "client": "shop", "key": None, **ANN}
    assert gateway.read("charges") == [answer.json()]
    assert gateway.events() == [("effect", "charge 30.00 ann for order-1")]


def test_the_same_charge_twice_is_two_charges(gateway: Gateway) -> None:
    assert [gateway.charge().json()["id"] for _ in range(2)] == ["ch_1", "ch_2"]


def test_what_can_not_be_charged_is_refused(gateway: Gateway) -> None:
    answer = gateway.charge({"customer": "ann", "amount": "-1"})
    assert answer.status_code == 400
    assert "amount" in answer.json()["error"]
    assert gateway.read("charges") == gateway.events() == []


def test_the_attempt_header_ties_a_charge_to_its_message(gateway: Gateway) -> None:
    gateway.charge(tie="3f2b;2")
    (event,) = gateway.log.read()[0]
    assert (event.message, event.attempt) == ("3f2b", 2)
    (request,) = gateway.read("requests")
    assert (request["message"], request["attempt"]) == ("3f2b", 2)


# Idempotency keys.


def test_a_key_charges_once_and_replays_the_first_answer(gateway: Gateway) -> None:
    first, second = gateway.charge(key="k"), gateway.charge(key="k")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert len(gateway.read("charges")) == 1
    assert gateway.events() == [
        ("effect", "charge 30.00 ann for order-1"),
        ("note", "same key: charge already made"),
    ]


def test_a_key_with_another_body_is_refused_with_422(gateway: Gateway) -> None:
    gateway.charge(key="k")
    answer = gateway.charge({**ANN, "amount": "31.00"}, key="k")
    assert answer.status_code == 422
    assert len(gateway.read("charges")) == 1
    assert gateway.events()[1] == ("note", "same key, another body: refused")


def test_bodies_are_equal_when_their_json_is(gateway: Gateway) -> None:
    headers = {"Authorization": "Bearer shop", "Idempotency-Key": "k"}
    for body in ('{"customer":"ann","amount":1}', '{ "amount": 1, "customer": "ann"}'):
        answer = requests.post(
            f"{gateway.url}/charges", data=body, headers=headers, timeout=SOON
        )
    assert answer.headers["Idempotent-Replayed"] == "true"


def test_a_key_belongs_to_its_client(gateway: Gateway) -> None:
    answers = [gateway.charge(key="k", client=name) for name in ("shop", "other")]
    assert [answer.status_code for answer in answers] == [201, 201]


def test_concurrent_requests_with_one_key_charge_once(gateway: Gateway) -> None:
    gateway.knobs(delay=0.2, times=1)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: gateway.charge(key="k"), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert {answer.json()["id"] for answer in answers} == {"ch_1"}
    assert len(gateway.read("charges")) == 1


def test_a_refused_charge_does_not_use_up_its_key(gateway: Gateway) -> None:
    gateway.knobs(status=500, times=1)
    statuses = [gateway.charge(key="k").status_code for _ in range(3)]
    assert statuses == [500, 201, 200]


# Knobs.


@pytest.mark.parametrize("status", [429, 500])
def test_status_answers_in_place_of_charging(gateway: Gateway, status: int) -> None:
    gateway.knobs(status=status, times=2)
    assert [gateway.charge().status_code for _ in range(3)] == [status, status, 201]
    assert len(gateway.read("charges")) == 1
    assert gateway.events()[:2] == [("fault", f"answers {status}")] * 2


def test_a_status_may_say_when_to_come_back(gateway: Gateway) -> None:
    gateway.knobs(status=429, retry_after=30, times=1)
    told = [gateway.charge().headers.get("Retry-After") for _ in range(2)]
    assert told == ["30", None]


def test_a_lost_reply_drops_the_connection_after_the_charge(gateway: Gateway) -> None:
    gateway.knobs(lose_replies=1)
    with pytest.raises(requests.ConnectionError, match="without response"):
        gateway.charge(key="k", tie="m;1")
    assert len(gateway.read("charges")) == 1
    assert gateway.charge(key="k", tie="m;2").headers["Idempotent-Replayed"] == "true"
    assert gateway.answered() == ["none", 200]
    assert [kind for kind, _ in gateway.events()] == ["effect", "fault", "note"]


def test_a_lost_reply_sends_not_one_byte(gateway: Gateway) -> None:
    gateway.knobs(lose_replies=1)
    body = json.dumps(ANN).encode()
    head = f"POST /charges HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}"
    with socket.create_connection(("127.0.0.1", gateway.port), SOON) as wire:
        wire.sendall(head.encode() + b"\r\n\r\n" + body)
        assert wire.recv(1) == b""
    assert len(gateway.read("charges")) == 1


def test_a_hang_charges_and_answers_once_it_is_healed(gateway: Gateway) -> None:
    gateway.knobs(hang=True, times=1)
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(gateway.charge)
        wait_until(lambda: gateway.read("charges"), timeout=SOON, what="the charge")
        assert gateway.charge().status_code == 201
        assert gateway.answered() == [None, 201]
        assert not hanging.done()
        gateway.knobs()
        assert hanging.result(SOON).json()["id"] == "ch_1"
    assert gateway.answered() == [201, 201]
    assert gateway.events()[1] == ("fault", "gives no answer")


def test_many_hanging_requests_do_not_block_others(gateway: Gateway) -> None:
    gateway.knobs(hang=True, times=100)
    with ThreadPoolExecutor(100) as pool:
        hanging = [pool.submit(gateway.charge) for _ in range(100)]
        wait_until(
            lambda: len(gateway.read("charges")) == 100, timeout=SOON, what="charges"
        )
        assert gateway.charge().status_code == 201
        gateway.knobs()
        assert {each.result(SOON).status_code for each in hanging} == {201}


def test_the_gateway_sees_that_a_client_gave_up(gateway: Gateway) -> None:
    gateway.knobs(hang=True)
    with pytest.raises(requests.ReadTimeout):
        gateway.charge(timeout=0.2)
    wait_until(
        lambda: gateway.answered() == ["none"], timeout=SOON, what="the client's leave"
    )
    assert len(gateway.read("charges")) == 1


def test_a_timeout_during_a_delay_does_not_stop_the_charge(gateway: Gateway) -> None:
    gateway.knobs(delay=1.5)
    with pytest.raises(requests.ReadTimeout):
        gateway.charge(timeout=0.1)
    wait_until(lambda: gateway.read("charges"), timeout=SOON, what="the late charge")


def test_cut_closes_the_connections_of_all_clients(gateway: Gateway) -> None:
    gateway.knobs(hang=True)
    with ThreadPoolExecutor(2) as pool:
        hanging = [pool.submit(gateway.charge) for _ in range(2)]
        wait_until(
            lambda: len(gateway.read("charges")) == 2, timeout=SOON, what="charges"
        )
        requests.post(f"{gateway.url}/cut", headers=SECRET, timeout=SOON)
        for each in hanging:
            assert isinstance(each.exception(SOON), requests.ConnectionError)
    wait_until(lambda: gateway.answered() == ["none"] * 2, timeout=SOON, what="ends")


# The lab's own requests.


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "charges"),
        ("DELETE", "charges"),
        ("GET", "requests"),
        ("POST", "knobs"),
        ("POST", "cut"),
    ],
)
@pytest.mark.parametrize("headers", [{}, {"X-Lab-Secret": "guess"}])
def test_without_the_secret_the_lab_requests_are_refused(
    gateway: Gateway, method: str, path: str, headers: dict[str, str]
) -> None:
    answer = requests.request(
        method, f"{gateway.url}/{path}", json={}, headers=headers, timeout=SOON
    )
    assert answer.status_code == 403


def test_a_knob_that_does_not_exist_is_an_error(gateway: Gateway) -> None:
    answer = requests.post(
        f"{gateway.url}/knobs", json={"slow": 1}, headers=SECRET, timeout=SOON
    )
    assert answer.status_code == 400
    assert "delay" in answer.json()["error"]


def test_clear_empties_ledger_keys_and_requests(gateway: Gateway) -> None:
    gateway.charge(key="k")
    requests.delete(f"{gateway.url}/charges", headers=SECRET, timeout=SOON)
    assert gateway.read("charges") == gateway.read("requests") == []
    assert gateway.charge(key="k").status_code == 201


# The process.


def test_sigkill_keeps_charges_and_keys_and_the_port_is_free_at_once(
    gateway: Gateway,
) -> None:
    gateway.charge()
    first = gateway.charge(key="k").json()
    gateway.kill()
    gateway.start()
    assert [row["id"] for row in gateway.read("charges")] == ["ch_1", "ch_2"]
    assert gateway.charge(key="k").json() == first


def test_a_frozen_gateway_goes_on_where_it_was(gateway: Gateway) -> None:
    gateway.process.send_signal(signal.SIGSTOP)
    with pytest.raises(requests.ReadTimeout):
        gateway.charge(timeout=0.1)
    gateway.process.send_signal(signal.SIGCONT)
    wait_until(lambda: gateway.read("charges"), timeout=SOON, what="the late charge")


def test_sigterm_ends_it_at_once_even_while_requests_hang(gateway: Gateway) -> None:
    gateway.knobs(hang=True)
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(gateway.charge)
        wait_until(lambda: gateway.read("charges"), timeout=SOON, what="the charge")
        gateway.process.terminate()
        assert gateway.process.wait(SOON) == -signal.SIGTERM
        assert isinstance(hanging.exception(SOON), requests.ConnectionError)


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path) -> None:
    addresses = Addresses(folder=str(tmp_path), events="", secret="s")
    (tmp_path / "lab.json").write_text(json.dumps(asdict(addresses)))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            gateway_command(port),
            env={**os.environ, "ATLEASTONCE_LAB_FILE": f"{tmp_path}/lab.json"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert f"can't listen on port {port}" in done.stderr
    assert "Address already in use" in done.stderr
    assert len(done.stderr.splitlines()) == 1


# The shop's client.


@pytest.fixture
def client(gateway: Gateway) -> Gateway:
    shop.setup(gateway.addresses)
    return gateway


@pytest.mark.usefixtures("client")
def test_the_client_returns_the_charge() -> None:
    charge = payments.charge("ann", "30", reference="order-1")
    assert (charge["id"], charge["amount"], charge["client"]) == (
        "ch_1",
        "30.00",
        "shop",
    )


@pytest.mark.usefixtures("client")
def test_the_client_sends_its_key() -> None:
    made = [payments.charge("ann", "30", key="order-1")["id"] for _ in range(2)]
    assert made == ["ch_1", "ch_1"]


def test_a_refusal_is_told_apart_from_later(client: Gateway) -> None:
    with pytest.raises(payments.PaymentRefused, match=r"400: .*amount"):
        payments.charge("ann", "0")
    client.knobs(status=429, times=1)
    with pytest.raises(requests.HTTPError, match="429"):
        payments.charge("ann", "30")
    client.knobs(status=500, times=1)
    with pytest.raises(requests.HTTPError, match="500"):
        payments.charge("ann", "30")


def test_the_client_gives_up_at_its_timeout(client: Gateway) -> None:
    client.knobs(hang=True)
    with pytest.raises(requests.ReadTimeout):
        payments.charge("ann", "30", timeout=0.2)
    wait_until(lambda: client.read("charges"), timeout=SOON, what="the charge")


@pytest.mark.usefixtures("client")
def test_a_proxy_in_the_environment_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    assert payments.charge("ann", "30")["id"] == "ch_1"
