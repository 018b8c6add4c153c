"""How fast a crash sweep is: points per second, CPU per point, against a cold worker.

``python benchmarks/crash_sweep.py [repeat]`` on a machine that does nothing else.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce import Lab, crash_sweep
from atleastonce.services import reaper as proc

if TYPE_CHECKING:
    from atleastonce.explore.sweep import Sweep

TASKS = """
from atleastonce.shop import payments
from atleastonce.shop.models import Order

@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount)
    order.status = "paid"
    order.save()
"""
TICK = os.sysconf("SC_CLK_TCK")


def cpu(above: int) -> float:
    """CPU seconds of a process, and of all below it, those that were reaped too."""
    rows = proc.table()
    family = {above}
    for _ in rows:
        family |= {pid for pid, row in rows.items() if row.parent in family}
    ticks = 0
    for pid in family:
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        ticks += sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return ticks / TICK


def measured(lab: Lab, kill: str, repeat: int) -> float:
    """Points per second of *repeat* sweeps, printed with their CPU seconds."""
    task = lab.modules["billing"].module.charge_order
    began, busy, points = time.monotonic(), cpu(os.getpid()), 0
    for _ in range(repeat):
        found: Sweep = crash_sweep(task, 1, kill=kill)
        points += len(found.rows)
    seconds = time.monotonic() - began
    used = cpu(os.getpid()) - busy
    print(
        f"{kill:>6} killed: {points / seconds:5.1f} points/s, "
        f"{1000 * used / points:4.0f} ms CPU per point ({points} points)"
    )
    return points / seconds


def cold(lab: Lab) -> float:
    """Seconds from ``celery worker`` to ready."""
    began = time.monotonic()
    lab.fleet.start(cold=True, include=["billing"])
    seconds = time.monotonic() - began
    lab.fleet.clear()
    return seconds


def main() -> None:
    """Open a lab, and measure."""
    repeat = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with Lab("benchmark") as lab:
        lab.load_tasks("billing", TASKS)
        lab.postgres.rows(
            "INSERT INTO shop_order (customer, amount, status, charge_id) "
            "VALUES ('ann', 30, 'new', '')"
        )
        start = cold(lab)
        print(
            f"cold worker per point: {1 / start:.2f} points/s at best ({start:.2f} s)"
        )
        for kill in ("child", "worker"):
            rate = measured(lab, kill, repeat)
            print(f"              {rate * start:.0f} times as fast as a cold worker")


if __name__ == "__main__":
    main()
