"""Schedules per second of the interleaving search, with CPU seconds.

``python benchmarks/interleave.py [repeats]``: CPU seconds are those of the search, the
copies, Postgres and Redis together, per schedule; start-up of the copies is apart.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from atleastonce import shop
from atleastonce.explore.bench import Bench
from atleastonce.explore.interleave import interleave
from atleastonce.services import reaper as proc
from atleastonce.services.embedded import Embedded
from atleastonce.workers.fleet import Fleet

DEPOSITS = ((1, 10), (1, 5))
CASES = [
    ("deposit", DEPOSITS, "effect"),  # 6 schedules
    ("deposit_atomic", DEPOSITS, "effect"),  # 14
    ("transfer", ((1, 2, 10), (2, 1, 5)), "effect"),  # 24
    ("deposit", DEPOSITS, "line"),  # 252
]
TICK = os.sysconf("SC_CLK_TCK")


def cpu(folder: str) -> float:
    """CPU seconds so far: ours, our children's that ended, and the lab's processes."""
    total = sum(os.times()[:4])
    for pid in proc.members([folder], proc.table()):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        # utime, stime, and those of its children that ended; see proc(5).
        total += sum(map(int, fields[11:15])) / TICK
    return total


def main(repeats: int) -> None:
    """Print one line per case."""
    targets = Path(__file__).parents[1] / "tests" / "live" / "interleaving"
    sys.path.insert(0, str(targets))
    with Embedded("benchmark") as lab:
        shop.setup(lab.addresses)
        import race_targets  # noqa: PLC0415 - needs Django set up

        from atleastonce.shop.models import Account  # noqa: PLC0415 - likewise

        def setup() -> None:
            Account.objects.all().delete()
            for key, name in enumerate(("ann", "bob"), 1):
                Account.objects.create(pk=key, name=name, balance=100)

        def world() -> dict[int, object]:
            return dict(Account.objects.order_by("pk").values_list("pk", "balance"))

        fleet = Fleet(lab.addresses, lab.lab_file, lab.reaper, lab.folder)
        fleet.preload()
        bench = Bench(lab.addresses, fleet)
        for name, args, grain in CASES:
            task = getattr(race_targets, name)
            began, used, done, inside = time.monotonic(), cpu(str(lab.folder)), 0, 0.0
            for _ in range(repeats):
                found = interleave(
                    *(task.s(*each) for each in args),
                    world=world,
                    setup=setup,
                    grain=grain,
                    on=bench,
                )
                done += found.schedules
                inside += found.seconds
            took = time.monotonic() - began
            used = cpu(str(lab.folder)) - used
            print(
                f"{name:14} {grain:6} {done / inside:6.1f} schedules/s "
                f"{(took - inside) / repeats:6.2f} s start-up "
                f"{1000 * used / done:6.1f} ms CPU each, start-up and yardstick too"
            )
        fleet.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
