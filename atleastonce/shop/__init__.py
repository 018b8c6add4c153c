"""The shop that suffers: a Django project with orders, payments, mail and accounts.

Importing it costs nothing: the payment gateway, which is another company, lives in a
folder below and must not load the shop's Django.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from atleastonce.settings import export

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


def setup(addresses: Addresses | None = None) -> None:
    """Make ``from atleastonce.shop.models import Order`` work in this process.

    Call it again to point the process at another lab, or after its Postgres crashed:
    the calling thread's connection is closed, and the next query opens a new one.

    Args:
        addresses: the lab to use; by default the one in ``ATLEASTONCE_LAB_FILE``.

    Raises:
        SettingsError: ``ATLEASTONCE_LAB_FILE`` names a file that can't be read.
    """
    export(
        DJANGO_SETTINGS_MODULE="atleastonce.shop.settings",
        # Jupyter runs cells inside an event loop, where Django refuses to query.
        DJANGO_ALLOW_ASYNC_UNSAFE="true",
    )
    importlib.import_module("django").setup()
    if addresses is not None:
        importlib.import_module("atleastonce.shop.repoint").repoint(addresses)
