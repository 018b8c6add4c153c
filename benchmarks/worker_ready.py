"""How long until a worker takes messages: warm from the fork server, or cold.

Run as ``python benchmarks/worker_ready.py``: ten of each, one after the other and in
turn, so that both see the same machine. Cold is ``celery worker --without-mingle
--without-gossip --without-heartbeat``, with the same arguments that warm gets.
"""

from __future__ import annotations

import os
import statistics
import time

from atleastonce.services.embedded import Embedded
from atleastonce.workers.fleet import Fleet

RUNS = 10
GOAL = 5.0


def main() -> None:
    """Print both medians in seconds, and their ratio."""
    with Embedded("benchmark") as lab:
        fleet = Fleet(lab.addresses, lab.lab_file, lab.reaper, lab.folder)
        began = time.monotonic()
        fleet.preload()
        print(f"fork server, once: {time.monotonic() - began:.2f} s")
        pairs = [
            (seconds(fleet, cold=False), seconds(fleet, cold=True)) for _ in range(RUNS)
        ]
        fleet.close()
    warm, cold = zip(*pairs, strict=True)
    for name, found in (("warm", warm), ("cold", cold)):
        middle = statistics.median(found)
        print(f"{name}: median {middle:.3f} s ({min(found):.3f} to {max(found):.3f})")
    ratio = statistics.median(cold) / statistics.median(warm)
    load = os.getloadavg()[0]
    print(f"ratio {ratio:.1f} (goal: at least {GOAL:g}); load average {load:.1f}")


def seconds(fleet: Fleet, *, cold: bool) -> float:
    """From the order to the worker's "ready", one worker at a time."""
    began = time.monotonic()
    fleet.start(cold=cold)
    took = time.monotonic() - began
    fleet.clear()
    return took


if __name__ == "__main__":
    main()
