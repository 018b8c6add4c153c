"""Empty what lies outside of Postgres and Redis: the gateway's ledger, the mailbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce.services.control import Control

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


def empty(addresses: Addresses) -> None:
    """Empty those that this lab has.

    Raises:
        ServiceError: one does not answer.
    """
    if addresses.gateway_url:
        Control(addresses.gateway_url, addresses.secret).call("DELETE", "/charges")
    if addresses.mail_url:
        Control(addresses.mail_url, addresses.secret).call("DELETE", "/messages")
