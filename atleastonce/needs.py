"""What a cell needs that this machine may lack: ``metadata.atleastonce.needs``.

``["rabbitmq"]`` in a cell's metadata lets ``atleastonce run`` and the nbval plugin skip
it with a reason; where ``ATLEASTONCE_REQUIRE`` names the need, its absence fails.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from atleastonce.errors import NoService
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Debian keeps servers out of an ordinary user's PATH. As in services/binaries.
SERVER_PATHS = "/usr/sbin:/usr/local/sbin:/usr/lib/rabbitmq/bin"

#: What may be needed: its program, and how to get it.
OPTIONAL = {
    "rabbitmq": ("rabbitmq-server", "sudo apt install rabbitmq-server"),
    "docker": ("docker", "https://docs.docker.com/engine/install/"),
}


def program(need: str) -> str:
    """The path of the program that *need* stands for, or "" when it is missing."""
    name, _ = OPTIONAL[need]
    if need == "rabbitmq" and (given := Settings.from_env().rabbitmq_server):
        name = given
    return shutil.which(name) or shutil.which(name, path=SERVER_PATHS) or ""


def reason(metadata: Mapping[str, Any]) -> str:
    """Why a cell with this metadata can't run here; "" when it can.

    Raises:
        NoService: what is missing stands in ``ATLEASTONCE_REQUIRE``.
    """
    wanted = metadata.get("atleastonce", {}).get("needs", [])
    missing = [need for need in wanted if not program(need)]
    if not missing:
        return ""
    text = f"needs {' and '.join(missing)}, not found on this machine"
    if required := Settings.from_env().require.intersection(missing):
        raise NoService(
            f"A cell {text}; ATLEASTONCE_REQUIRE names {', '.join(sorted(required))}.",
            attempt=OPTIONAL[missing[0]][1],
        )
    return text
