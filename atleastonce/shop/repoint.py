"""Point a process whose Django is set up at another lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connections

from atleastonce.shop.addressing import configured

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


def repoint(addresses: Addresses) -> None:
    """Use *addresses* from now on; close this thread's connection to the old ones."""
    found = configured(addresses)
    # The one dictionary every thread's connection reads when it connects.
    connections.settings["default"].update(found.pop("DATABASES")["default"])
    for name, value in found.items():
        setattr(settings, name, value)
    connections.close_all()
