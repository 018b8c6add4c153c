"""A worker that leaks: ``celery -A atleastonce.shop.leak worker`` in a memory limit.

Nothing here asks how much is left. The kernel ends it, as it ends every process that is
over its container's limit.
"""

from __future__ import annotations

from atleastonce.shop.celery import app

_kept: list[bytearray] = []
MIB = 2**20


@app.task
def leak(mib: int) -> int:
    """Keep *mib* MiB more for ever; returns how many are kept."""
    # Written to: memory that was only asked for does not count yet.
    _kept.append(bytearray(b"x") * (mib * MIB))
    return sum(map(len, _kept)) // MIB
