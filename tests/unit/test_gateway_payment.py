"""What a client asks the provider for, read from headers and body."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from atleastonce.shop.gateway.payment import Payment, amount_of, client_of
from atleastonce.shop.gateway.provider import Tie


def test_a_payment_carries_client_key_and_body() -> None:
    body = {"customer": "ann", "amount": "30", "reference": "order-1"}
    headers = {"Authorization": "Bearer shop", "Idempotency-Key": "k1"}
    found = Payment.parse(headers, json.dumps(body).encode())
    assert found == Payment("shop", "k1", "ann", "30.00", "order-1", body)


def test_without_headers_there_is_no_key_and_no_name() -> None:
    found = Payment.parse({}, b'{"customer": "ann", "amount": 5}')
    assert (found.client, found.key, found.reference) == ("", None, "")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'{"amount": "1"}',
        b'{"customer": "", "amount": "1"}',
        b'{"customer": 7, "amount": "1"}',
        b'{"customer": "ann"}',
        b'{"customer": "ann", "amount": "1", "reference": 7}',
    ],
)
def test_what_can_not_be_charged_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        Payment.parse({}, raw)


@pytest.mark.parametrize(
    ("found", "amount"),
    [
        ("30", "30.00"),
        ("30.5", "30.50"),
        (30, "30.00"),
        (0.1, "0.10"),
        ("1e2", "100.00"),
    ],
)
def test_an_amount_has_two_decimals(found: Any, amount: str) -> None:  # noqa: ANN401 - any JSON
    assert amount_of(found) == amount


@pytest.mark.parametrize(
    "wrong",
    [
        "0",
        "-1",
        "0.001",
        "x",
        "",
        "NaN",
        "Infinity",
        "1e9",
        "1e400",
        True,
        None,
        [],
        {},
    ],
)
def test_an_amount_is_positive_and_in_whole_cents(wrong: Any) -> None:  # noqa: ANN401 - any JSON
    with pytest.raises(ValueError, match="amount"):
        amount_of(wrong)


def test_a_client_is_the_user_of_basic_or_the_token_of_bearer() -> None:
    basic = base64.b64encode(b"shop:secret").decode()
    assert client_of(f"Basic {basic}") == client_of("Bearer shop") == "shop"
    assert client_of("Basic !") == client_of("Basic /w==") == client_of("") == ""


@pytest.mark.parametrize(
    ("header", "tie"),
    [
        ("a1b2;3", Tie("a1b2", 3)),
        ("", Tie()),
        ("a1b2", Tie()),
        ("a1b2;", Tie()),
        ("a1b2;x", Tie()),
    ],
)
def test_a_tie_is_read_or_there_is_none(header: str, tie: Tie) -> None:
    assert Tie.parse(header) == tie
