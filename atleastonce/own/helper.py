"""The process that has a project in it: ``python -m atleastonce.own.helper <fd>``.

It gets an Opening and answers each Request, until the other end is closed. What the
project prints goes to stderr. It dies with who started it, and its services with it.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from atleastonce.errors import AtLeastOnceError, ExploreError
from atleastonce.own.calls import Failed, Found, Opened
from atleastonce.own.place import Place
from atleastonce.workers import loading

if TYPE_CHECKING:
    from atleastonce.explore.result import Interleavings
    from atleastonce.explore.sweep import Sweep

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(fd: int, parent: int) -> None:
    """Serve the other end of *fd*, which process *parent* holds."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        return
    signal.signal(signal.SIGTERM, _leave)
    link: Connection = Connection(fd)
    try:
        place = Place(link.recv())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - told to who asked
        link.send(_failed(error))
        return
    with place:
        link.send(Opened(place.exported, str(place.services.folder)))
        _serve(link, place)


def _leave(*_: object) -> None:
    # Once: a second one must not disturb the end.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _Leaving


class _Leaving(BaseException):
    """Whoever started us wants us to end."""


def _serve(link: Connection, place: Place) -> None:
    while True:
        try:
            packed = link.recv_bytes()
        except EOFError:
            return
        try:
            request = pickle.loads(packed)  # noqa: S301 - from who started us
            answer: Found | Failed = _found(place.use(request), place.refused())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - told to who asked
            answer = _failed(error, place.refused())
        link.send(answer)


def _found(result: Sweep | Interleavings, refused: tuple[str, ...]) -> Found:
    return Found(
        verdict=result.verdict,
        text=repr(result),
        html=result._repr_html_(),
        data=result.to_dict(),
        packed=pickle.dumps(result),
        refused=refused,
    )


def _failed(error: BaseException, refused: tuple[str, ...] = ()) -> Failed:
    """What *error* says; an exception of the project's own with where it was raised."""
    if isinstance(error, ExploreError) and refused:
        places = ", ".join(refused)
        seen = f"connections that were refused, to no throw-away service: {places}"
        attempt = f"lead it to one with --env, or --allow {refused[0]}"
        return Failed("ProjectError", error.what, seen, attempt)
    if isinstance(error, AtLeastOnceError):
        kind = type(error).__name__
        return Failed(kind, error.what, error.seen, error.attempt)
    last = traceback.format_exception_only(error)[-1].strip()
    what = f"The project raised {last}"
    attempt = "call it by itself, with services of your own"
    return Failed("ProjectError", what, loading.where(error), attempt)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]))
    except _Leaving:
        sys.exit(128 + signal.SIGTERM)
