"""The shop as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ShopConfig(AppConfig):
    """Label ``shop``: its tables are ``shop_order`` and so on."""

    name = "atleastonce.shop"
    label = "shop"
