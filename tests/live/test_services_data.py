"""What each service keeps, and what it does to its clients."""

from __future__ import annotations

import select
import smtplib
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
import redis
import requests

from atleastonce.errors import ServiceError
from atleastonce.services.embedded import Embedded
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def lab(shared_embedded: Embedded) -> Iterator[Embedded]:
    shared_embedded.mail.clear()
    shared_embedded.gateway.clear()
    shared_embedded.gateway.knobs()
    shared_embedded.redis.client().flushall()
    return shared_embedded


def send(lab: Embedded, subject: str = "Paid", attempt: str = "") -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "shop@x", "ann@example.com", subject
    mail.set_content("Thank you.\nBye.")
    with smtplib.SMTP("127.0.0.1", lab.mail.port, "me", timeout=5) as client:
        if attempt:
            client.docmd("NOOP", f"attempt={attempt}")
        client.send_message(mail)


def charge(lab: Embedded) -> int:
    order = {"customer": "ann", "amount": "30.00", "reference": "order-1"}
    with requests.Session() as session:
        session.trust_env = False
        url = f"{lab.addresses.gateway_url}/charges"
        return session.post(url, json=order, timeout=5).status_code


def test_redis_forgets_in_a_crash_what_it_was_not_told_to_keep(lab: Embedded) -> None:
    lab.redis.client(3).set("a", "1")
    lab.redis.crash()
    assert lab.redis.client(3).get("a") is None


def test_redis_keeps_what_an_append_only_file_keeps() -> None:
    options = {"appendonly": "yes", "appendfsync": "always"}
    with Embedded("aof", redis=options) as services:
        services.redis.client().set("a", "1")
        services.redis.crash()
        assert services.redis.client().get("a") == "1"


def test_redis_takes_other_directives_for_a_while(lab: Embedded) -> None:
    client = lab.redis.client()
    with lab.redis.configured(appendonly="yes", appendfsync="always"):
        client.set("a", "1")
        lab.redis.crash()
        assert client.get("a") == "1"
    assert client.config_get("appendonly") == {"appendonly": "no"}
    lab.redis.crash()
    assert client.get("a") is None


def test_what_redis_saved_for_a_while_does_not_come_back(lab: Embedded) -> None:
    client = lab.redis.client()
    with lab.redis.configured(save="3600 1"):
        client.set("a", "1")
        lab.redis.restart()
        assert client.get("a") == "1"
    lab.redis.crash()
    assert client.get("a") is None


def test_redis_has_no_such_directive(lab: Embedded) -> None:
    with pytest.raises(KeyError), lab.redis.configured(appendalways="yes"):
        pass


def test_redis_lets_nobody_in_without_the_password(lab: Embedded) -> None:
    with (
        redis.Redis(port=lab.redis.port) as stranger,
        pytest.raises(redis.AuthenticationError),
    ):
        stranger.ping()


def test_a_cut_ends_a_subscription_too(lab: Embedded) -> None:
    with lab.redis.client().pubsub() as listener:
        listener.subscribe("news")
        assert listener.get_message(timeout=5)
        lab.redis.cut()
        channels = lab.redis.client().pubsub_channels
        assert channels() == []


def test_postgres_keeps_every_commit_through_a_crash(lab: Embedded) -> None:
    lab.postgres.rows("CREATE TABLE kept (n int)")
    for number in range(20):
        lab.postgres.rows("INSERT INTO kept VALUES (%s)", number)
        if number % 5 == 4:
            lab.postgres.crash()
    assert lab.postgres.rows("SELECT count(*) FROM kept") == [(20,)]
    lab.postgres.rows("DROP TABLE kept")


def test_postgres_has_the_shops_tables(lab: Embedded) -> None:
    found = lab.postgres.rows(
        "SELECT tablename FROM pg_tables WHERE tablename ~ 'order'"
    )
    assert found


def test_postgres_takes_only_this_labs_password(lab: Embedded) -> None:
    right = lab.addresses.dsn()
    psycopg.connect(right).close()
    wrong = right.replace(lab.addresses.postgres_password, "atleastonce")
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        psycopg.connect(wrong)


def test_a_cut_ends_a_postgres_session_with_its_transaction(lab: Embedded) -> None:
    with psycopg.connect(lab.addresses.dsn()) as client:
        client.execute("CREATE TABLE half AS SELECT 1")
        lab.postgres.cut()
        with pytest.raises(psycopg.errors.AdminShutdown):
            client.execute("SELECT 1")
    assert lab.postgres.rows("SELECT to_regclass('half')") == [(None,)]


def test_a_frozen_postgres_freezes_its_sessions_too(lab: Embedded) -> None:
    with psycopg.connect(lab.addresses.dsn(), autocommit=True) as client:
        lab.postgres.freeze()
        client.pgconn.send_query(b"SELECT 1")
        assert not select.select([client.fileno()], [], [], 0.3)[0]
        lab.postgres.thaw()
        assert select.select([client.fileno()], [], [], 10)[0]
        while client.pgconn.get_result():
            pass


def test_postgres_leaves_no_shared_memory_behind() -> None:
    def existing() -> set[int]:
        rows = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
        return {int(row.split()[1]) for row in rows}

    def own(services: Embedded) -> int:
        lines = (services.postgres.data / "postmaster.pid").read_text().splitlines()
        return int(lines[6].split()[1])

    with Embedded("shared memory") as services:
        used = {own(services)}
        services.postgres.crash()
        used.add(own(services))
        assert used & existing()
    assert not used & existing()


def test_a_mail_is_kept_and_recorded_as_an_effect(lab: Embedded) -> None:
    _, start = lab.events.read()
    send(lab, "Paid: 30 €", attempt="task-1;2")
    assert lab.mail.messages() == [
        {
            "to": "ann@example.com",
            "subject": "Paid: 30 €",
            "body": "Thank you.\nBye.",
            "message": "task-1",
            "attempt": 2,
        }
    ]
    (event,), _ = lab.events.read(start)
    assert (event.lane, event.kind) == ("mail", "effect")
    assert event.text == "mail to ann@example.com: Paid: 30 €"
    assert (event.message, event.attempt) == ("task-1", 2)


def test_a_tie_holds_for_one_mail_only(lab: Embedded) -> None:
    with smtplib.SMTP("127.0.0.1", lab.mail.port, "me", timeout=5) as client:
        client.docmd("NOOP", "attempt=task-1;1")
        client.sendmail("shop@x", ["ann@x", "ben@x"], "Subject: one\n\nhello")
        client.docmd("NOOP")
        client.sendmail("shop@x", "ann@x", "Subject: two\n\nhello")
    found = [(m["to"], m["message"], m["attempt"]) for m in lab.mail.messages()]
    assert found == [("ann@x, ben@x", "task-1", 1), ("ann@x", "", 0)]


def test_a_mail_whose_reply_is_lost_is_kept_and_the_sender_sees_an_error(
    lab: Embedded,
) -> None:
    lab.mail.lose_replies(1)
    with pytest.raises(smtplib.SMTPServerDisconnected):
        send(lab, "one")
    send(lab, "two")
    assert [mail["subject"] for mail in lab.mail.messages()] == ["one", "two"]


def test_mails_survive_a_crash(lab: Embedded) -> None:
    send(lab)
    lab.mail.crash()
    assert len(lab.mail.messages()) == 1
    send(lab)
    assert len(lab.mail.messages()) == 2


def test_a_slow_mail_server_times_its_sender_out_and_keeps_the_mail_all_the_same(
    lab: Embedded,
) -> None:
    lab.mail.delay(0.5)
    with (
        smtplib.SMTP("127.0.0.1", lab.mail.port, "me", timeout=0.2) as client,
        pytest.raises((TimeoutError, smtplib.SMTPServerDisconnected)),
    ):
        client.sendmail("shop@x", "ann@x", "Subject: slow\n\nhello")
    wait_until(lab.mail.messages, timeout=10, what="the mail to be kept")
    lab.mail.delay(0)


def test_the_mail_control_refuses_who_does_not_know_the_secret(lab: Embedded) -> None:
    with requests.Session() as session:
        session.trust_env = False
        answer = session.get(f"{lab.addresses.mail_url}/messages", timeout=5)
    assert answer.status_code == 403


def test_a_wrong_knob_is_refused_with_its_name(lab: Embedded) -> None:
    with pytest.raises(ServiceError, match="status 400") as caught:
        lab.gateway.knobs(explode=True)
    assert "explode" in str(caught.value) or "knobs" in str(caught.value)


def test_the_ledger_survives_a_crash_and_can_be_cleared(lab: Embedded) -> None:
    assert charge(lab) == 201
    lab.gateway.crash()
    (made,) = lab.gateway.charges()
    assert made["customer"] == "ann"
    lab.gateway.clear()
    assert lab.gateway.charges() == []


def test_a_lost_reply_leaves_a_charge_and_a_request(lab: Embedded) -> None:
    lab.gateway.knobs(lose_replies=1)
    with pytest.raises(requests.ConnectionError):
        charge(lab)
    assert charge(lab) == 201
    assert len(lab.gateway.charges()) == 2
    assert len(lab.gateway.requests()) == 2


def test_a_frozen_gateway_gives_one_clear_error(lab: Embedded) -> None:
    lab.gateway.freeze()
    with pytest.raises(ServiceError, match="got no answer") as caught:
        lab.gateway._control.call("GET", "/charges", timeout=0.2)
    assert "Try: thaw()" in str(caught.value)
    lab.gateway.thaw()
