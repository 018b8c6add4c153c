"""Keep one set of services for ``atleastonce up``: the process that owns them.

``start`` runs it detached; it prints one line of JSON, ``{"lab_file": …}`` or an error,
and then waits for the SIGTERM that ``atleastonce down`` sends. Its services end with
it, however it ends, as those of a notebook end with the kernel.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from atleastonce.errors import AtLeastOnceError, NoService, ServiceError
from atleastonce.services.embedded import Embedded

#: The name in the list of labs; no notebook is called so.
STEM = "up"


def start() -> Path:
    """Start a keeper, and return its lab file once the services answer.

    Raises:
        ServiceError: a service can't be started.
    """
    keeper = subprocess.Popen(
        [sys.executable, "-m", "atleastonce.keeper"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        start_new_session=True,
    )
    with keeper.stdout or sys.stdin as said:
        lines = [said.readline()]
        try:
            answer = json.loads(lines[0])
        except ValueError:
            lines += said.readlines()
            answer = {"what": "The keeper ended early.", "seen": lines[-1].strip()}
    if "lab_file" in answer:
        return Path(answer["lab_file"])
    raise ServiceError(**{"attempt": "atleastonce doctor", **answer})


def main() -> None:
    """Hold the services until SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        services = Embedded(STEM)
        with suppress(NoService):
            services.rabbitmq.wait_ready()
    except AtLeastOnceError as error:
        _say({"what": error.what, "seen": error.seen, "attempt": error.attempt})
        sys.exit(1)
    with services:
        _say({"lab_file": str(services.lab_file)})
        while True:
            signal.pause()


def _say(answer: dict[str, str]) -> None:
    """Answer on stdout, and let go of it: the one who asked reads to its end."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


if __name__ == "__main__":
    main()
