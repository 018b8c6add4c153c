"""The shop as a Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.mail.utils import DNS_NAME


class ShopConfig(AppConfig):
    """Label ``shop``: its tables are ``shop_order`` and so on."""

    name = "atleastonce.shop"
    label = "shop"

    def ready(self) -> None:
        """Give this machine a name for its mails.

        Django would ask the resolver, which takes seconds where there is no DNS.
        """
        DNS_NAME._fqdn = "shop.example.com"  # noqa: SLF001
