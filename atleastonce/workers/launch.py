"""The command line of a worker, and its start as a process of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from atleastonce.services.process import Process, child_env
from atleastonce.workers.mains import Cold, Contained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kombu.entity import Queue

    from atleastonce.services.cleanup import Reaper
    from atleastonce.workers.project import Environment

#: Pools that patch modules, which a warm worker has imported already.
PATCHING = ("gevent", "eventlet")


def arguments(
    name: str,
    pool: str,
    concurrency: int,
    include: Sequence[str],
    queues: Sequence[Queue],
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
        *([f"--queues={','.join(q.name for q in queues)}"] if queues else []),
    ]


def environment(name: str, settings: dict[str, object], clock: float) -> Environment:
    """What tells one worker from the others."""
    return {
        "ATLEASTONCE_WORKER": name,
        "ATLEASTONCE_CELERY": json.dumps(settings),
        "ATLEASTONCE_CLOCK": str(clock),
    }


def execute(
    command: Sequence[str],
    env: Environment,
    path: Sequence[str],
    log: Path,
    reaper: Reaper,
    entrypoint: str = "",
) -> Cold:
    """Run ``celery`` with *command*, importing from *path*, logging to *log*.

    With an *entrypoint* that shell script is run in its place, with the command as its
    arguments, as the first process of a container.
    """
    inherited = child_env()
    places = [*path, *inherited.get("PYTHONPATH", "").split(os.pathsep)]
    env |= {"PYTHONPATH": os.pathsep.join(filter(None, places))}
    env |= {"TMPDIR": str(log.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    everything = inherited | env
    process = Process(
        log.stem,
        [*_shell(entrypoint, log), sys.executable, "-m", "celery", *command],
        log=log,
        reaper=reaper,
        env={name: value for name, value in everything.items() if value is not None},
        cwd=Path(path[0]),
    )
    process.start()
    return Contained(process) if entrypoint else Cold(process)


def _shell(entrypoint: str, log: Path) -> list[str]:
    """The words before the command; the script stands beside the log."""
    if not entrypoint:
        return []
    script = log.with_suffix(".sh")
    script.write_text(entrypoint)
    return ["/bin/sh", str(script)]
