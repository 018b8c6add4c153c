"""A published message reads as the call that it is."""

from __future__ import annotations

import pytest

from atleastonce.workers.wording import called


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ("(1,)", "{}", "charge_order(1)"),
        ("[1, 2]", "{}", "charge_order(1, 2)"),
        ("()", "{}", "charge_order()"),
        ("('ann',)", "{'amount': 3}", "charge_order('ann', amount=3)"),
        ("()", "{'amount': 3}", "charge_order(amount=3)"),
        (None, None, "charge_order()"),
    ],
)
def test_a_message_reads_as_a_call(
    args: str | None, kwargs: str | None, text: str
) -> None:
    headers = {"task": "billing.charge_order", "argsrepr": args, "kwargsrepr": kwargs}
    assert called(headers) == text
