"""Free TCP ports on loopback."""

from __future__ import annotations

import random
import socket
from pathlib import Path

from atleastonce.errors import ServiceError

HOST = "127.0.0.1"
_LOWEST = 15000


def is_free(port: int) -> bool:
    """True if nothing listens on *port* of the loopback interface."""
    with socket.socket() as probe:
        # A connection of an earlier server that lingers in TIME_WAIT is no hindrance.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A free port that the kernel gives to nobody by itself.

    A port from the kernel's own range could go to any client while a crashed server
    is down; a client that retries to connect there can even meet itself.

    Raises:
        ServiceError: no free port was found in 200 tries.
    """
    for _ in range(200):
        port = random.randrange(_LOWEST, _highest())
        if is_free(port):
            return port
    raise ServiceError(
        f"No free TCP port was found from {_LOWEST} to {_highest() - 1}.",
        attempt="atleastonce down",
    )


def _highest() -> int:
    words = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    low = int(words[0])
    return low if low > _LOWEST + 1000 else 65536
