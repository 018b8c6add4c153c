"""The shop's Django settings: where its database and its mail server are.

Addresses come from the lab file. Without one (``makemigrations``, or a notebook that
has not opened its lab yet) they lead nowhere, and ``shop.setup(addresses)`` sets them.
"""

from __future__ import annotations

from atleastonce.addresses import Addresses
from atleastonce.settings import Settings as Environment
from atleastonce.shop.addressing import configured

_environment = Environment.from_env()

INSTALLED_APPS = ["atleastonce.shop"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_TIMEOUT = 10.0  # seconds
# A notebook's and a worker's logging are their own.
LOGGING_CONFIG = None
DEFAULT_FROM_EMAIL = "shop@example.com"

globals().update(
    configured(
        _environment.addresses()
        if _environment.lab_file
        else Addresses(folder="", events="", secret="no lab is open yet")  # noqa: S106 - a placeholder
    )
)
