"""How long a lab takes to open, and until its first worker takes messages.

Run as ``python benchmarks/lab_open.py``: ten labs, each in a process of its own, as in
a kernel that has just started. CPU seconds are those of all processes of the lab.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

RUNS = 10
ONE = """
import json, resource, time
from atleastonce.lab import Lab
began = time.monotonic()
lab = Lab("benchmark")
opened = time.monotonic() - began
lab.worker()
ready = time.monotonic() - began
lab.close()
used = [resource.getrusage(who) for who in (0, resource.RUSAGE_CHILDREN)]
print(json.dumps([opened, ready, sum(u.ru_utime + u.ru_stime for u in used)]))
"""


def main() -> None:
    """Print the three medians, with their extremes, in seconds."""
    rows = [_one() for _ in range(RUNS)]
    names = ("open", "first worker ready", "CPU in all")
    for name, found in zip(names, zip(*rows, strict=True), strict=True):
        middle = statistics.median(found)
        print(f"{name}: median {middle:.2f} s ({min(found):.2f} to {max(found):.2f})")
    print(f"load average {os.getloadavg()[0]:.1f}")


def _one() -> list[float]:
    said = subprocess.run([sys.executable, "-c", ONE], capture_output=True, check=True)
    found: list[float] = json.loads(said.stdout)
    return found


if __name__ == "__main__":
    main()
