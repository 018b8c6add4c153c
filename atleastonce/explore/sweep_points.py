"""Which points of an undisturbed run a fault is planted at. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from atleastonce.errors import ExploreError
from atleastonce.workers.plan import AFTER, BEFORE, DONE, RETURNED, STORED, At
from atleastonce.workers.points import PRIVATE, Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: What may strike, and at which points: the moments of an effect boundary, and whether
#: at lines and ends too. A request can only be cut off before it is sent or answered.
FAULTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "kill": (frozenset({BEFORE, DONE, AFTER}), frozenset({"line", RETURNED, STORED})),
    "term": (frozenset({BEFORE, DONE, AFTER}), frozenset({"line", RETURNED, STORED})),
    # The task is over when its result is stored.
    "soft limit": (frozenset({BEFORE, DONE, AFTER}), frozenset({"line", RETURNED})),
    "lose reply": (frozenset({DONE}), frozenset()),
    "cut": (frozenset({BEFORE, DONE}), frozenset()),
}
#: Signals that no code of the process sees: to them, "after" a reply that came is the
#: instant of "done", for nothing of ours or the library's runs between the two.
BLIND = frozenset({"kill", "term"})
#: Faults that leave the process alive, with whatever they broke in it: a connection, a
#: transaction that was never left. The next run must not inherit that.
SPARING = frozenset({"soft limit", "lose reply", "cut"})
#: kombu 5.7 connects, and declares a queue, once per process.
_KOMBU = re.compile(r"PING$|LLEN |SADD _kombu\.")
#: Points that are no effect boundary.
PLAIN = frozenset({"line", RETURNED, STORED})


def read(trace: str) -> list[Point]:
    """The points that one attempt wrote down, in the order in which it met them.

    Without what kombu asks on a process's first publish only, which has no effect.
    """
    points = [Point(**json.loads(line)) for line in trace.splitlines()]
    return [p for p in points if not chatter(p)]


def chatter(point: Point) -> bool:
    """True for what kombu asks once per process: it is no effect of a task's."""
    return point.kind == "redis" and bool(_KOMBU.match(point.text))


def struck_at(record: dict[str, Any]) -> Point:
    """The point of a strike's record."""
    return Point(**record["point"])


def chosen(points: Sequence[Point], fault: str, *, lines: bool = True) -> list[Point]:
    """Those at which *fault* can strike, each instant once; with or without lines.

    Raises:
        ExploreError: there is no such fault.
    """
    if fault not in FAULTS:
        raise ExploreError(
            f"There is no fault {fault!r}; there are {', '.join(FAULTS)}."
        )
    moments, plain = FAULTS[fault]
    plain -= frozenset() if lines else {"line"}
    found = [
        p
        for p in points
        if (p.kind in plain if p.kind in PLAIN else p.moment in moments)
    ]
    return _instants(found) if fault in BLIND else found


def _instants(points: Sequence[Point]) -> list[Point]:
    """Without "after" where "done" came just before it, and what nobody can notice."""
    pairs = zip([None, *points], points, strict=False)
    kept = [p for last, p in pairs if not (last and _follows(p, last))]
    return [p for p in kept if p.kind != "sql" or p.name not in PRIVATE]


def _follows(point: Point, last: Point) -> bool:
    done = replace(point, moment=DONE, number=point.number - 1)
    return point.moment == AFTER and done == last


def place(point: Point, points: Iterable[Point]) -> At:
    """Where a strike meets *point* again: the nth of those that look like it.

    Not by its number: a thread may reach its points between others.
    """
    effect = point.name or point.kind
    at = At(file=point.file, line=point.line, effect=effect, moment=point.moment)
    same = [p for p in points if p.number <= point.number and at.matches(p)]
    return replace(at, nth=len(same))


def identity(point: Point) -> tuple[object, ...]:
    """What stays equal when a deterministic target reaches the point again."""
    where = (point.file, point.line, point.function, point.depth, point.main)
    return (point.kind, point.moment, point.name, *where)


def difference(first: Sequence[Point], second: Sequence[Point]) -> str:
    """Where two runs of one target part; "" if they are the same.

    The order is compared in the main thread only: nothing orders the others.
    """
    for one, other in zip(_in_order(first), _in_order(second), strict=False):
        if identity(one) != identity(other):
            return f"{said(one)}, then {said(other)}"
    if len(first) != len(second):
        return f"{len(first)} points, then {len(second)}"
    return ""


def _in_order(points: Sequence[Point]) -> list[Point]:
    main = [p for p in points if p.main]
    others = sorted((p for p in points if not p.main), key=lambda p: str(identity(p)))
    return main + others


def said(point: Point) -> str:
    """A point in words: ``line 12``, ``line 12, charge: done``."""
    if point.kind in (RETURNED, STORED):
        return point.kind
    where = f"line {point.line}"
    return where if point.kind == "line" else f"{where}, {point.name}: {point.moment}"
