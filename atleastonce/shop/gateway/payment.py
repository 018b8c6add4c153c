"""What a client asks for, read from its headers and its JSON body. Pure."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

CENT = Decimal("0.01")
TOO_MUCH = Decimal(10**9)


@dataclass(frozen=True)
class Payment:
    """One request for a charge: who is asking, its key and the body as it came."""

    client: str
    key: str | None
    customer: str
    amount: str  # two decimals
    reference: str
    body: dict[str, Any]

    @classmethod
    def parse(cls, headers: Mapping[str, str], raw: bytes) -> Payment:
        """Read one.

        Raises:
            ValueError: *raw* is not JSON, or its customer or amount can't be charged.
        """
        body = json.loads(raw)
        if not isinstance(body, dict):
            raise ValueError("the body must be a JSON object")  # noqa: TRY004 - a value
        customer, reference = body.get("customer"), body.get("reference", "")
        if not (customer and isinstance(customer, str) and isinstance(reference, str)):
            raise ValueError("customer and reference must be texts")
        return cls(
            client=client_of(headers.get("Authorization", "")),
            key=headers.get("Idempotency-Key"),
            customer=customer,
            amount=amount_of(body.get("amount")),
            reference=reference,
            body=body,
        )


def amount_of(found: Any) -> str:  # noqa: ANN401 - any JSON
    """The amount with two decimals.

    Raises:
        ValueError: it is not a positive number of whole cents.
    """
    try:
        amount = Decimal(str(found))
        if 0 < amount < TOO_MUCH and not amount % CENT:
            return f"{amount:.2f}"
    except InvalidOperation:
        pass
    raise ValueError(f"amount must be positive, in whole cents; it is {found!r}")


def client_of(authorization: str) -> str:
    """Who is asking: the user of Basic, the token of Bearer; believed as it is."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() != "basic":
        return value
    try:
        return base64.b64decode(value).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return ""
