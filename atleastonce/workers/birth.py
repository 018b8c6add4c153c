"""From the fork to ``app.worker_main``: a forked process becomes a Celery worker.

After this it is a worker like any other: ``worker_main`` is what the ``celery worker``
command line calls, with the same arguments.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any, NoReturn

from celery import signals

from atleastonce.settings import Settings, export
from atleastonce.workers import guest

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

PR_SET_PDEATHSIG = 1  # linux/prctl.h

_DEFAULTED = (
    signal.SIGCHLD,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
)


def be_worker(order: dict[str, Any], inherited: Sequence[socket.socket]) -> NoReturn:
    """Run the worker, or the call, that *order* describes, and end with its status."""
    status = 1
    try:
        _own(order, inherited)
        status = _work(order)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the end of the process; the log has it
        traceback.print_exc()
    finally:
        _leave(status)


def _own(order: dict[str, Any], inherited: Sequence[socket.socket]) -> None:
    """Give it what ``exec`` would have: session, signals, files, environment."""
    os.setsid()
    # A worker whose fork server was killed would have nobody to report its end.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    for number in _DEFAULTED:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    for link in inherited:
        # As objects: a later collection would close a number that is someone else's.
        link.close()
    _redirect(order["log"])
    export(**order["env"])
    os.chdir(order["cwd"])
    sys.path[:0] = [place for place in order["path"] if place not in sys.path]


def _redirect(log: str) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for fd, standard in ((null, 0), (out, 1), (out, 2)):
        os.dup2(fd, standard)
    os.close(null)
    os.close(out)


def _work(order: dict[str, Any]) -> int:
    """Do it; returns the exit status."""
    # An edit of equal length within one second would run as the old bytecode.
    sys.dont_write_bytecode = True
    if "call" in order:
        if Settings.from_env().app:
            guest.enter()
        _named(order["call"])(*order["argv"])
        return 0
    sys.argv[:] = ["celery", "-A", order["app"], *order["argv"]]
    app = guest.enter() if Settings.from_env().app else _named(order["app"])
    return _worked(app, order["argv"])


def _worked(app: Any, argv: list[str]) -> int:  # noqa: ANN401 - a Celery app
    """Run a worker until it ends; its exit status.

    ``worker_main`` drops the status that ``celery worker`` would exit with, which a
    worker that gave up has set (Celery 5.7, ``celery/bin/worker.py``).
    """
    workers: list[Any] = []
    signals.celeryd_after_setup.connect(
        lambda instance, **_: workers.append(instance), weak=False
    )
    app.worker_main(argv)
    return (workers[0].exitcode or 0) if workers else 0


def _named(name: str) -> Any:  # noqa: ANN401 - an app, or a function
    module, _, member = name.partition(":")
    return getattr(importlib.import_module(module), member)


def _leave(status: int) -> NoReturn:
    """End without the interpreter's own shutdown, which belongs to the fork server."""
    try:
        atexit._run_exitfuncs()  # noqa: SLF001 - what a normal exit runs; no public name
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)
