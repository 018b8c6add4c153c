"""Compare two worlds: what became of the work under a fault. Pure.

The yardstick is the world after an undisturbed run. How far a count should have moved,
from the start to there, tells "twice" from "not at all": a balance that falls by 60 in
place of 30 was debited twice, however small it is now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

OK, DUPLICATE, STUCK, LOST, WRONG = "ok", "duplicate", "stuck", "lost", "wrong"
#: The worst first: a row has several differences, and one outcome.
SEVERITY = (DUPLICATE, STUCK, LOST, WRONG, OK)

World = Mapping[str, Any]
_Number = int | float | Decimal


@dataclass(frozen=True)
class Judged:
    """What became of the work.

    Attributes:
        outcome: ``ok``, ``duplicate``, ``stuck``, ``lost`` or ``wrong``.
        evidence: each difference, such as ``charges 2, not 1``; "" if there is none.
    """

    outcome: str
    evidence: str


def judge(
    world: World, expected: World, start: World, stuck: Sequence[str] = ()
) -> Judged:
    """Say what became of the work that *world* shows.

    Args:
        world: after the fault, when nothing is left to do.
        expected: after an undisturbed run.
        start: before any run.
        stuck: names of counts that say that something waits for nobody, such as
            ``orders in progress``; they are compared like the rest, and more of them
            than expected is ``stuck``.
    """
    found = list(_differences(world, expected, start, tuple(stuck)))
    outcomes = {outcome for outcome, _ in found} or {OK}
    return Judged(min(outcomes, key=SEVERITY.index), "; ".join(e for _, e in found))


def _differences(
    world: World, expected: World, start: World, stuck: tuple[str, ...]
) -> Iterable[tuple[str, str]]:
    for name in dict.fromkeys([*expected, *world]):
        values = (source.get(name) for source in (world, expected, start))
        for path, now, wanted, before in _leaves(str(name), *values):
            if now != wanted:
                waits = name in stuck and _more(now, wanted)
                outcome = STUCK if waits else _outcome(now, wanted, before)
                yield outcome, f"{path} {_apart(now, wanted)}"


def _leaves(
    name: str, now: object, wanted: object, before: object
) -> Iterable[tuple[str, object, object, object]]:
    """Values inside of dicts are compared one by one, and named ``outer.inner``."""
    sides = [s if isinstance(s, Mapping) else {} for s in (now, wanted, before)]
    if not isinstance(now, Mapping) and not isinstance(wanted, Mapping):
        yield name, now, wanted, before
        return
    for key in dict.fromkeys([*sides[1], *sides[0]]):
        yield from _leaves(f"{name}.{key}", *(side.get(key) for side in sides))


def _outcome(now: object, wanted: object, before: object) -> str:
    if isinstance(wanted, bool) and isinstance(now, bool):
        return LOST if now is before else WRONG
    if _is_number(wanted) and _is_number(now if now is not None else 0):
        return _moved(_zero(now), _zero(wanted), _zero(before))
    if _is_collection(wanted) and _is_collection(now):
        return _collected(now, wanted)
    # A status that is what it was at the start: the work has not been done.
    return LOST if now == before else WRONG


def _moved(now: Any, wanted: Any, before: Any) -> str:  # noqa: ANN401 - numbers
    way, expected = now - before, wanted - before
    if not expected or way * expected < 0:
        return WRONG
    return DUPLICATE if abs(way) > abs(expected) else LOST


def _collected(now: Any, wanted: Any) -> str:  # noqa: ANN401 - collections
    found, should = _counted(now), _counted(wanted)
    extra, missing = found - should, should - found
    if any(item in should for item in extra):
        return DUPLICATE
    return LOST if missing and not extra else WRONG


def _counted(items: Iterable[object]) -> Counter[str]:
    return Counter(repr(item) for item in items)


def _more(now: object, wanted: object) -> bool:
    if _is_number(now) and _is_number(wanted):
        return bool(_zero(now) > _zero(wanted))
    return bool(now)


def _zero(value: object) -> Any:  # noqa: ANN401 - a number or a collection
    return 0 if value is None else value


def _is_number(value: object) -> bool:
    return isinstance(value, _Number) and not isinstance(value, bool)


def _is_collection(value: object) -> bool:
    return isinstance(value, (list, tuple, set, frozenset))


def _apart(now: object, wanted: object) -> str:
    """``2, not 1``; of texts such as ``a; b`` only the parts that differ, quoted."""
    if isinstance(now, str) and isinstance(wanted, str) and " " in now + wanted:
        mine, theirs = now.split("; "), wanted.split("; ")
        if len(mine) == len(theirs):
            pairs = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
            mine, theirs = [a for a, _ in pairs], [b for _, b in pairs]
        return f'"{"; ".join(mine)}", not "{"; ".join(theirs)}"'
    return f"{_said(now)}, not {_said(wanted)}"


def _said(value: object) -> str:
    if value is None:
        return "missing"
    return str(value) if isinstance(value, (str, _Number)) else repr(value)
