"""The payment provider's client, as a shop would write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import requests
from django.conf import settings

if TYPE_CHECKING:
    from decimal import Decimal

TOO_MANY_REQUESTS = 429
CLIENT_ERRORS = range(400, 500)


class PaymentRefused(Exception):
    """The provider will never make this charge: trying again can't help."""


def charge(
    customer: str,
    amount: Decimal | str,
    *,
    reference: str = "",
    key: str | None = None,
    timeout: float = 5.0,
) -> dict[str, Any]:
    """Charge *customer*; return the provider's charge: ``id``, ``amount`` and so on.

    Args:
        customer: who pays.
        amount: how much, such as ``Decimal("30.00")``.
        reference: what it is for; the provider shows it and ignores it.
        key: the ``Idempotency-Key``: the provider charges once per key.
        timeout: seconds to connect, and seconds between two packets of the answer.

    Raises:
        PaymentRefused: the charge is not valid (400, 402, 422 and so on).
        requests.RequestException: no answer, or one that says "later" (429, 5xx). The
            charge may have been made.
    """
    body = {"customer": customer, "amount": str(amount), "reference": reference}
    headers = {"Authorization": "Bearer shop"}
    if key is not None:
        headers["Idempotency-Key"] = key
    with requests.Session() as session:
        # The gateway is on this machine: a proxy of the environment can't reach it.
        session.trust_env = False
        answer = session.post(
            f"{settings.GATEWAY_URL}/charges",
            json=body,
            headers=headers,
            timeout=timeout,
        )
    return _charge_in(answer)


def _charge_in(answer: requests.Response) -> dict[str, Any]:
    code = answer.status_code
    if code in CLIENT_ERRORS and code != TOO_MANY_REQUESTS:
        raise PaymentRefused(f"{code}: {answer.text}")
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    return found
