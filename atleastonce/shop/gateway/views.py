"""The provider's Django views: HTTP in, HTTP out."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from decimal import Decimal, InvalidOperation
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atleastonce.shop.gateway.knobs import Knobs
from atleastonce.shop.gateway.ledger import Payment
from atleastonce.shop.gateway.provider import Provider, Tie
from atleastonce.shop.gateway.wire import client_left, drop

if TYPE_CHECKING:
    from collections.abc import Callable

    View = Callable[[HttpRequest], HttpResponse]

CENTS = Decimal("0.01")
MOST = Decimal(10**9)


def provider() -> Provider:
    """The one provider of this process."""
    found: Provider = settings.PROVIDER
    return found


def for_the_lab(view: View) -> View:
    """Let only who knows the lab's secret in; 403 to anyone else."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        shown = request.headers.get("X-Lab-Secret", "")
        if hmac.compare_digest(shown.encode(), settings.SECRET_KEY.encode()):
            return view(request)
        return JsonResponse({"error": "X-Lab-Secret is missing or wrong"}, status=403)

    return guarded


@require_GET
def health(_request: HttpRequest) -> HttpResponse:
    """Say that we are there."""
    return JsonResponse({"ok": True})


@require_http_methods(["GET", "POST", "DELETE"])
def charges(request: HttpRequest) -> HttpResponse:
    """Charge a customer; or read, or empty, the ledger."""
    return charge(request) if request.method == "POST" else ledger(request)


def charge(request: HttpRequest) -> HttpResponse:
    """Charge a customer, as the knobs say."""
    try:
        payment = payment_in(request)
    except ValueError as error:
        return JsonResponse({"error": str(error)}, status=400)
    tie = Tie.parse(request.headers.get("X-Attempt", ""))
    answer = provider().charge(payment, tie, lambda: client_left(request.environ))
    if answer.lost:
        drop(request.environ)
    return JsonResponse(answer.body, status=answer.status, headers=answer.headers)


@for_the_lab
def ledger(request: HttpRequest) -> HttpResponse:
    """Read the ledger, or empty it."""
    if request.method == "DELETE":
        provider().clear()
    return JsonResponse({"charges": provider().ledger.rows()})


@require_GET
@for_the_lab
def requests(_request: HttpRequest) -> HttpResponse:
    """What was asked for, and how it was answered."""
    return JsonResponse({"requests": provider().requests()})


@require_POST
@for_the_lab
def knobs(request: HttpRequest) -> HttpResponse:
    """Turn all knobs; those that are not named go back to harmless."""
    try:
        wanted = Knobs.parse(json.loads(request.body))
    except ValueError as error:
        return JsonResponse({"error": str(error)}, status=400)
    provider().board.turn(wanted)
    return JsonResponse({"ok": True})


def payment_in(request: HttpRequest) -> Payment:
    """The payment that a request asks for.

    Raises:
        ValueError: the body is not JSON, or its customer or amount can't be charged.
    """
    body = json.loads(request.body)
    if not isinstance(body, dict):
        raise ValueError("the body must be a JSON object")  # noqa: TRY004 - a value here
    customer, reference = body.get("customer"), body.get("reference", "")
    if not (customer and isinstance(customer, str) and isinstance(reference, str)):
        raise ValueError("customer and reference must be texts")
    return Payment(
        client=client_of(request.headers.get("Authorization", "")),
        key=request.headers.get("Idempotency-Key"),
        customer=customer,
        amount=amount_in(body.get("amount")),
        reference=reference,
        body=body,
    )


def amount_in(found: Any) -> str:  # noqa: ANN401 - any JSON
    """The amount with two decimals.

    Raises:
        ValueError: it is not a positive number of whole cents.
    """
    try:
        amount = Decimal(str(found))
        if not isinstance(found, bool) and 0 < amount < MOST and not amount % CENTS:
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
