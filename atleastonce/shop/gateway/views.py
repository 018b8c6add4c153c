"""The provider's Django views: HTTP in, HTTP out."""

from __future__ import annotations

import hmac
import json
from functools import wraps
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atleastonce.shop.gateway.knobs import Knobs
from atleastonce.shop.gateway.payment import Payment
from atleastonce.shop.gateway.provider import Provider, Tie
from atleastonce.shop.gateway.wire import client_left, cut_all, drop

if TYPE_CHECKING:
    from collections.abc import Callable

    View = Callable[[HttpRequest], HttpResponse]


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
        payment = Payment.parse(request.headers, request.body)
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
    return JsonResponse({"charges": provider().charges()})


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


@require_POST
@for_the_lab
def cut(request: HttpRequest) -> HttpResponse:
    """Close the connections of all clients, answered or not."""
    return JsonResponse({"cut": cut_all(but=request.environ)})
