"""``python -m atleastonce.shop.gateway --port 8001``: serve until killed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.wsgi import get_wsgi_application

from atleastonce.eventlog import EventLog
from atleastonce.settings import Settings
from atleastonce.shop.gateway import wire
from atleastonce.shop.gateway.ledger import Ledger
from atleastonce.shop.gateway.provider import Provider
from atleastonce.shop.gateway.settings import configure

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


def main() -> str | None:
    """Serve the lab of ``ATLEASTONCE_LAB_FILE``; return why that is impossible."""
    parser = argparse.ArgumentParser(prog="python -m atleastonce.shop.gateway")
    parser.add_argument("--host", default=wire.HOST)  # another one in a container only
    parser.add_argument("--port", type=int, required=True)
    asked = parser.parse_args()
    application = _application(Settings.from_env().addresses())
    server = wire.server(asked.host, asked.port, application)
    try:
        server.prepare()
    except OSError as error:
        return f"The gateway can't listen on port {asked.port}: {error}"
    server.serve()
    return None


def _application(addresses: Addresses) -> wire.Application:
    ledger = Ledger(Path(addresses.folder, "charges.jsonl"))
    configure(Provider(ledger, EventLog(addresses.events)), addresses.secret)
    application: wire.Application = get_wsgi_application()
    return application


if __name__ == "__main__":
    sys.exit(main())
