"""A copy's process: makes one call again and again, stopping before every point.

``python -m atleastonce.explore.actor <socket> <count> <project> <tag>`` imports what
all copies need and forks *count* of them; a lab's fork server calls ``serve`` at once.
Everything ends with the search: a copy that waits inside Postgres by PDEATHSIG, others
by the end of their socket too.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import os
import pickle
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import redis

from atleastonce.explore import wire
from atleastonce.explore.deadlocks import Deadlocks
from atleastonce.explore.stepper import Stepper, catch_sleeps
from atleastonce.explore.threads import Turns
from atleastonce.settings import export
from atleastonce.workers import boundaries, databases, lines, running

if TYPE_CHECKING:
    import socket

    from atleastonce.explore.copies import Copy, Job
    from atleastonce.workers.points import Recorder

PR_SET_PDEATHSIG = 1  # linux/prctl.h
#: Shared by the copies, and imported before the fork.
LIBRARIES = (
    "celery.app.builtins",
    "celery.app.trace",
    "celery.canvas",
    "celery.backends.redis",
    "django.db.backends.postgresql.base",
    "kombu.transport.redis",
)


def main(path: str, count: int, project: str, tag: str) -> None:
    """Import *project*, fork *count* copies, and stay as long as they do."""
    _end_with_parent()
    sys.dont_write_bytecode = True
    importlib.import_module(project).setup()
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    for index in range(count):
        if not os.fork():
            serve(path, index, tag)
    for _ in range(count):
        os.wait()


def serve(path: str, index: int, tag: str) -> None:
    """Be copy *index*; ends the process."""
    status = 1
    try:
        _end_with_parent()
        _sign(f"{tag}{index}")
        _serve(wire.connect(Path(path)), index)
        status = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Not the interpreter's own shutdown, which belongs to the parent.
        os._exit(status)


def _sign(name: str) -> None:
    """By *name* the search finds this copy's sessions in Postgres and in Redis."""
    export(PGAPPNAME=name)
    made = redis.connection.AbstractConnection.__init__

    @functools.wraps(made)
    def init(self: object, *args: object, **kwargs: Any) -> None:  # noqa: ANN401 - redis-py's own
        kwargs["client_name"] = kwargs.get("client_name") or name
        made(self, *args, **kwargs)  # type: ignore[arg-type]

    redis.connection.AbstractConnection.__init__ = init  # type: ignore[method-assign]


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _serve(link: socket.socket, index: int) -> None:
    wire.say(link, "hello", index=index, pid=os.getpid())
    packed = pickle.loads(link.recv(1 << 20))  # noqa: S301 - from the search that started us
    deadlocks = Deadlocks()
    deadlocks.install()
    boundaries.install()
    turns = Turns()
    turns.install()
    catch_sleeps(turns)
    sys.path[:] = packed["path"]
    copy: Copy = pickle.loads(packed["copy"])  # noqa: S301 - likewise
    try:
        job = copy.job()
    except BaseException as error:  # noqa: BLE001 - told to the search, which raises
        wire.say(link, "unable", error=_brief(error))
        return
    root = lines.root_code(getattr(job, "func", job))
    stepper = Stepper(link, deadlocks, copy.file, root, lines=packed["lines"])
    _tidy()
    wire.say(link, "ready")
    while link.recv(1) == wire.RUN:
        job = pickle.loads(packed["copy"]).job()  # noqa: S301 - fresh arguments
        with turns.membership():
            raised = _run(stepper, job, index, turns)
        _tidy()
        deadlocks.reset()
        wire.say(link, "end", error=raised)


def _run(stepper: Stepper, job: Job, index: int, turns: Turns) -> str:
    """Make the call; what it raised, on one line, or ""."""
    before = set(threading.enumerate())
    # It does what a recorder does for the two that call it.
    recorder = cast("Recorder", stepper)
    running.enter(running.Attempt(f"copy {index + 1}", 1, recorder))
    stepper.body = True
    raised = ""
    try:
        if stepper.lines:
            lines.start(recorder)
        job()
    except BaseException as error:  # noqa: BLE001 - whatever the target raises is its outcome
        raised = _brief(error)
    finally:
        lines.stop()
        turns.finish(set(threading.enumerate()) - before)
        stepper.body = False
        running.leave()
    return raised


def _brief(error: BaseException) -> str:
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _tidy() -> None:
    """Carry no open transaction into the next schedule, and connect before it."""
    for connection in databases.connections():
        raw = connection.connection
        if connection.in_atomic_block or (raw and raw.info.transaction_status):
            connection.close()
        connection.ensure_connection()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
