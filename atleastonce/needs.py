"""What a cell needs that this machine may lack: ``metadata.atleastonce.needs``.

``["rabbitmq"]`` in a cell's metadata lets ``atleastonce run`` and the nbval plugin skip
it with a reason; where ``ATLEASTONCE_REQUIRE`` names the need, its absence fails. A
service's verb that some mode lacks may be needed too, such as ``redis.freeze``.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from atleastonce.errors import NoService
from atleastonce.modes import known, why_not
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


def is_known(need: str) -> bool:
    """True for what a cell may need."""
    return need in OPTIONAL or known(need)


def lack(need: str) -> str:
    """Why what *need* names can't be had here; "" when it can."""
    mode = Settings.from_env().mode
    service, _, verb = need.partition(".")
    if verb:
        return why_not(mode, service, verb)
    contained = need == "rabbitmq" and mode != "embedded"
    return "" if contained or program(need) else "not found on this machine"


def reason(metadata: Mapping[str, Any]) -> str:
    """Why a cell with this metadata can't run here; "" when it can.

    Raises:
        NoService: what is missing stands in ``ATLEASTONCE_REQUIRE``.
    """
    wanted = metadata.get("atleastonce", {}).get("needs", [])
    missing = {need: why for need in wanted if (why := lack(need))}
    if not missing:
        return ""
    text = "; ".join(f"needs {need}, {why}" for need, why in missing.items())
    if required := sorted(Settings.from_env().require & missing.keys()):
        raise NoService(
            f"A cell {text}; ATLEASTONCE_REQUIRE names {', '.join(required)}.",
            attempt=OPTIONAL[required[0]][1],
        )
    return text
