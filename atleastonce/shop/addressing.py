"""The Django settings that follow from a lab's addresses. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


def configured(addresses: Addresses) -> dict[str, Any]:
    """Settings by name: database, mail, gateway and the secret key."""
    return {
        "SECRET_KEY": addresses.secret,
        "DATABASES": {"default": _database(addresses)},
        "EMAIL_HOST": addresses.smtp_host,
        "EMAIL_PORT": addresses.smtp_port,
        "GATEWAY_URL": addresses.gateway_url,
        # Beside the broker (0) and the results (1): the shop's own keys.
        "REDIS_URL": addresses.redis_url(2),
    }


def _database(addresses: Addresses) -> dict[str, Any]:
    """One entry of ``DATABASES``."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": addresses.postgres_host,
        "PORT": addresses.postgres_port,
        "USER": addresses.postgres_user,
        "PASSWORD": addresses.postgres_password,
        "NAME": addresses.postgres_db,
        "CONN_MAX_AGE": None,
        # Loopback has neither; to ask for them doubles the 10 ms of a connection, and
        # a worker connects for every task (Celery 5.7's Django fixup closes it).
        "OPTIONS": {"sslmode": "disable", "gssencmode": "disable"},
    }
