"""``crash_sweep(task, *args)``: a fault at every point, each in a run of its own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from atleastonce.errors import ExploreError
from atleastonce.explore import bench
from atleastonce.explore.copies import Copy
from atleastonce.explore.planted import Planted
from atleastonce.explore.sweep_call import Call
from atleastonce.explore.sweep_run import Bed, Outside
from atleastonce.explore.sweep_series import Series
from atleastonce.explore.sweep_targets import Message
from atleastonce.explore.victims import Victims

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atleastonce.explore.bench import Bench
    from atleastonce.explore.outcomes import World
    from atleastonce.explore.sweep import Sweep
    from atleastonce.explore.sweep_targets import Target

#: Attempts beyond those of the undisturbed run and the strikes: a message that is
#: begun more often than that is begun for ever.
PATIENCE = 8


def crash_sweep(  # noqa: PLR0913 - every option is a keyword with a default
    target: object,
    *args: object,
    world: Callable[[], World] | None = None,
    setup: Callable[[], object] | None = None,
    reset: Callable[[], object] | None = None,
    kill: Literal["child", "worker"] = "child",
    fault: str = "kill",
    attempt: int | Sequence[int] = 1,
    stuck: Sequence[str] = (),
    left: Callable[[], object] | None = None,
    files: Sequence[str | Path] = (),
    lines: bool = True,
    settings: Mapping[str, object] | None = None,
    timeout: float = 20.0,
    broker: Literal["redis", "rabbitmq"] | None = None,
    on: Bench | None = None,
) -> Sweep:
    """Strike *target* at every point it has, and compare what becomes of its work.

    An undisturbed run lists the points: the lines of the target's file, and before,
    done and after of every SQL statement, COMMIT, ROLLBACK, Redis command, HTTP request
    and mail, wherever it happens; "returned, result not stored" and "stored, message
    not acknowledged". A kill strikes "done" and "after" at once where the reply came:
    nothing runs between them. Then each point is struck in a run of its own, the broker
    delivers again as it does, and when nothing is left to do, the world is compared
    with the undisturbed one. The lab's own workers are ended; the sweep has its own.

    Args:
        target: a task or its signature; or any callable that another process can
            import (a view, a relay, a management command), which is restarted until it
            returns; its workers stand still until then, for at most 5 s.
        args: what it is called with.
        world: returns the counts and values that an outcome is judged by; default: the
            open lab's.
        setup: makes the start; called once. Postgres and Redis are put back to it
            before every run, gateway and mailbox are emptied.
        reset: called before every run, for what lies outside of these.
        kill: what a kill hits: the pool ``child``, or the whole ``worker``; then its
            message is redelivered to a stand-by.
        fault: ``kill``, ``term`` (SIGTERM to the worker), ``soft limit``, ``lose
            reply`` (the other side has done it), ``cut`` (before the request, too).
        attempt: which attempt is struck, from 1; several are all struck at the same
            point.
        stuck: names in the world of what waits for nobody when it is more than
            expected, such as ``orders in progress``.
        left: for a callable: how much is left to do; it is called until nothing is.
        files: whose lines are points; default: the file of the target.
        lines: False strikes at effects and ends only: a process that dies on a line
            between two of them leaves what it would have left at the first.
        settings: Celery settings of the workers, such as ``{"task_acks_late": True}``.
        timeout: seconds until a run must be over.
        broker: through which the task goes; default: the one that the lab uses.
        on: where to work; default: the lab that is open.

    Raises:
        ExploreError: nothing can be concluded: the target fails or never ends without
            a fault, or is not deterministic.
        NoService: the broker is not on this machine.
        SettingsError: this process belongs to no lab.
    """
    began = time.monotonic()
    attempts = _attempts(attempt)
    what = "worker" if fault == "term" else kill
    if setup:
        setup()
    with bench.through(on or bench.current(), broker) as place:
        victims = Victims(_fleet(place), what, _modules(place, target), settings or {})
        swept, text = _target(target, args, victims, Path(place.addresses.folder), left)
        outside = Outside(
            world or _world(place),
            reset,
            tuple(str(Path(file).resolve()) for file in files),
            timeout,
            most=PATIENCE + len(attempts),
        )
        with Bed(place.addresses, swept, victims, outside) as bed:
            series = Series(bed, Planted(fault, what, attempts, lines), stuck)
            series.play()
    return series.result(text, time.monotonic() - began)


def _attempts(given: int | Sequence[int]) -> tuple[int, ...]:
    """Which attempts are struck, each once, from the first."""
    found = sorted({given} if isinstance(given, int) else set(given))
    if not found or found[0] < 1:
        raise ExploreError(
            f"A crash sweep can't strike attempt {given!r}: they count from 1.",
            attempt="attempt=1, or attempt=(1, 2)",
        )
    return tuple(found)


def _fleet(place: Bench) -> Any:  # noqa: ANN401 - a Fleet
    if place.fleet is None:
        raise ExploreError(
            "A crash sweep needs workers, and no lab is open here.",
            attempt='lab = Lab("01_duplicates") first',
        )
    return place.fleet


def _world(place: Bench) -> Callable[[], World]:
    if place.world is None:
        raise ExploreError(
            "A crash sweep needs world=, which returns what an outcome is judged by.",
            attempt="world=lambda: {'charges': len(lab.gateway.charges())}",
        )
    return place.world


def _modules(place: Bench, target: object) -> list[str]:
    """Where the workers find the tasks."""
    found = set(place.include)
    module = getattr(getattr(target, "type", target), "__module__", "")
    if hasattr(target, "apply_async"):
        found.add(module)
    return sorted(found)


def _target(
    target: Any,  # noqa: ANN401 - whatever was passed
    args: tuple[object, ...],
    victims: Victims,
    folder: Path,
    left: Callable[[], object] | None,
) -> tuple[Target, str]:
    """What is run, and how it is called."""
    signed = isinstance(target, dict)
    copy = Copy.of((target, *args) if args and not signed else target)
    if not copy.task:
        return Call(copy, victims, folder, left), copy.text
    signature = target if signed else target.s(*args)
    return Message(signature, victims, folder), copy.text
