"""The plan that a message carries: what to record of its attempts, where to strike.

It travels as JSON in the message header ``x_atleastonce``, so it needs no shared state,
touches no other message, and survives redelivery and retry.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atleastonce.workers.points import Point

HEADER = "x_atleastonce"

#: Moments of an effect boundary, in order. ``done``: the other side has done it and
#: its reply is with the client library, which has not handed it to its caller.
BEFORE, DONE, AFTER = "before", "done", "after"
#: The points that are neither a line nor a boundary, in order. The first is in the
#: worker's main process, before any attempt; the others end one.
DELIVERED, RETURNED, STORED = "delivered", "returned", "stored"


@dataclass(frozen=True)
class At:
    """Which points a strike waits for; what is left empty matches anything.

    Attributes:
        number: the point's number within its attempt.
        file, line: the learner's line that is about to run, or caused the boundary.
        effect: kind or name of a boundary (``http`` or ``charge``), ``delivered``,
            ``returned``, ``stored``, or ``line``.
        moment: ``before``, ``done`` or ``after``; a line is only ever before.
        left: the line of the same frame that has just run.
        nth: which of the points that match, from 1.
    """

    number: int | None = None
    file: str = ""
    line: int = 0
    effect: str = ""
    moment: str = ""
    left: int = 0
    nth: int = 1

    def matches(self, point: Point) -> bool:
        """True if *point* is one of those, whichever the nth."""
        return (
            self.number in (None, point.number)
            and self.file in ("", point.file)
            and self.line in (0, point.line)
            and self.effect in ("", point.kind, point.name)
            and self.moment in ("", point.moment)
            and self.left in (0, point.left)
        )


@dataclass(frozen=True)
class Strike:
    """One fault at one point; it strikes once, whatever happens to the message.

    Attributes:
        id: names the file ``struck.<id>`` that makes it strike once.
        action: ``kill``, ``term``, ``soft limit``, ``freeze``, ``lose reply``, ``cut``.
        what: ``child`` or ``worker``.
        text: what the timeline says, such as ``killed after charge``.
        at: where.
        attempt: which attempt of the message, from 1; 0 for any.
    """

    id: str
    action: str
    what: str = "child"
    text: str = ""
    at: At = field(default_factory=At)
    attempt: int = 1


@dataclass(frozen=True)
class Plan:
    """What one message's attempts record, and what strikes them.

    Attributes:
        folder: gets ``trace.<message>.<attempt>`` and ``struck.<id>``.
        files: whose lines are points; by default the file of the task's function.
        strikes: in the order in which they are looked at.
    """

    folder: str
    files: tuple[str, ...] = ()
    strikes: tuple[Strike, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What the header holds."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Plan:
        """Read a header."""
        strikes = (Strike(**{**row, "at": At(**row["at"])}) for row in found["strikes"])
        return cls(found["folder"], tuple(found["files"]), tuple(strikes))
