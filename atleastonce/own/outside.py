"""What left a project: mails and charges, as the other side has them; for a world."""

from __future__ import annotations

from typing import Any

from atleastonce.services.control import Control
from atleastonce.settings import Settings


def mails() -> list[dict[str, Any]]:
    """Every mail that was caught, oldest first: ``to``, ``subject``, ``body``.

    Raises:
        SettingsError: this process belongs to no sweep.
        ServiceError: the mail catcher does not answer.
    """
    at = Settings.from_env().addresses()
    found: list[dict[str, Any]] = Control(at.mail_url, at.secret).call(
        "GET", "/messages"
    )
    return found


def charges() -> list[dict[str, Any]]:
    """Every charge that the payment gateway made, oldest first.

    Raises:
        SettingsError: this process belongs to no sweep.
        ServiceError: the gateway does not answer.
    """
    at = Settings.from_env().addresses()
    answer = Control(at.gateway_url, at.secret).call("GET", "/charges")
    found: list[dict[str, Any]] = answer["charges"]
    return found
