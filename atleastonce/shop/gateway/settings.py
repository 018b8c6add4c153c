"""The provider's Django settings: no database, no apps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from atleastonce.shop.gateway.provider import Provider


def configure(provider: Provider, secret: str) -> None:
    """Make this process the provider's; *secret* opens the lab's requests."""
    found: dict[str, Any] = {
        "PROVIDER": provider,
        "SECRET_KEY": secret,
        # The last one is its name among the containers.
        "ALLOWED_HOSTS": ["127.0.0.1", "localhost", "gateway"],
        "ROOT_URLCONF": "atleastonce.shop.gateway.urls",
        "INSTALLED_APPS": [],
        # It gives answers their Content-Length.
        "MIDDLEWARE": ["django.middleware.common.CommonMiddleware"],
        "APPEND_SLASH": False,
        # Python's own last resort prints warnings and tracebacks: our log.
        "LOGGING_CONFIG": None,
    }
    settings.configure(**found)
