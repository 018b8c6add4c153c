"""A published message reads as the call that it is, and says when it is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from atleastonce.workers.wording import called, due


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ("(1,)", "{}", "charge_order(1)"),
        ("[1, 2]", "{}", "charge_order(1, 2)"),
        ("()", "{}", "charge_order()"),
        ("('ann',)", "{'amount': 3}", "charge_order('ann', amount=3)"),
        ("()", "{'amount': 3}", "charge_order(amount=3)"),
        (None, None, "charge_order()"),
        ("('http://127.0.0.1:4711/a',)", "{}", "charge_order('http://127.0.0.1/a')"),
    ],
)
def test_a_message_reads_as_a_call(
    args: str | None, kwargs: str | None, text: str
) -> None:
    headers = {"task": "billing.charge_order", "argsrepr": args, "kwargsrepr": kwargs}
    assert called(headers) == text


def test_a_message_with_an_eta_is_due_in_so_many_seconds() -> None:
    eta = datetime.now(UTC) + timedelta(minutes=3)
    found = due({"eta": eta.isoformat()})
    assert found["countdown"] == pytest.approx(180, abs=5)


def test_a_message_without_one_is_due_now() -> None:
    assert due({"eta": None}) == due({}) == {}
