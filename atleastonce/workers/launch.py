"""The command line of a worker, and its start as a process of its own."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from atleastonce.services.process import Process, child_env
from atleastonce.workers.worker import Cold

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from atleastonce.services.cleanup import Reaper


def arguments(
    name: str, pool: str, concurrency: int, include: Sequence[str]
) -> list[str]:
    """What follows ``celery -A <app>``; the same for warm and cold."""
    modules = ("atleastonce.workers.agent", *include)
    return [
        "worker",
        f"--hostname={name}@lab",
        f"--pool={pool}",
        f"--concurrency={concurrency}",
        "--loglevel=INFO",
        # Mingle waits 1 s for the greetings of other workers; gossip and heartbeats
        # are messages that no lesson is about.
        "--without-mingle",
        "--without-gossip",
        "--without-heartbeat",
        f"--include={','.join(modules)}",
    ]


def environment(name: str, settings: dict[str, object], clock: float) -> dict[str, str]:
    """What tells one worker from the others."""
    return {
        "ATLEASTONCE_WORKER": name,
        "ATLEASTONCE_CELERY": json.dumps(settings),
        "ATLEASTONCE_CLOCK": str(clock),
    }


def execute(
    command: Sequence[str], env: dict[str, str], tasks: Path, log: Path, reaper: Reaper
) -> Cold:
    """Run ``celery`` with *command*, importing from *tasks*, logging to *log*."""
    inherited = child_env()
    places = [str(tasks), *inherited.get("PYTHONPATH", "").split(os.pathsep)]
    env |= {"PYTHONPATH": os.pathsep.join(filter(None, places))}
    env |= {"TMPDIR": str(log.parent)}
    process = Process(
        log.stem,
        [sys.executable, "-m", "celery", *command],
        log=log,
        reaper=reaper,
        env=inherited | env | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tasks,
    )
    process.start()
    return Cold(process)
