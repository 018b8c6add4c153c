"""The timeline: what happened, in order, as a reader sees it. Pure.

The text is *logical*: no clock, pid or uuid, and equal for every run in which the same
things happened (``ordering`` says how). How to read it: docs/reading-a-timeline.md.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from copy import copy
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from atleastonce import ordering

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from atleastonce.events import Event

WIDTH = 80
#: The margin of a line; a look down it finds what matters.
EFFECT, FAULT, AGAIN = "*", "!", ">"
#: Contrast of at least 4.5 whichever theme is around: each sets both colours.
_BADGES = {
    EFFECT: "color: #ffffff; background-color: #0060a0",
    FAULT: "color: #ffffff; background-color: #b03a00",
    AGAIN: "color: #000000; background-color: #e69f00",
}
_NOTHING = "(nothing happened)"


def mark(event: Event) -> str:
    """``*`` an effect, ``!`` a fault, ``>`` a redelivery, else a blank."""
    if event.kind == "deliver":
        return AGAIN if event.data.get("redelivered") else " "
    return {"effect": EFFECT, "fault": FAULT}.get(event.kind, " ")


def said(event: Event) -> str:
    """What happened, without its kind, on one line."""
    again = "redelivered" if mark(event) == AGAIN else ""
    return " ".join(f"{event.text} {again}".split())


class Timeline:
    """What happened in a lab, in an order that no accident of a run changes.

    Args:
        events: as recorded. Task ids become ``m1``, ``m2``, ... in printed order.
        times: recorded order, all events, seconds since the first; for eyes, since no
            two runs are equal.

    Attributes:
        events: in printed order, messages renamed.
        names: the name of each task id.
        gaps: positions of events that did not wait for the event before them.
    """

    def __init__(self, events: Iterable[Event], *, times: bool = False) -> None:
        recorded = list(events)
        logical = [e for e in recorded if e.kind not in ordering.CLOCKED]
        direct = ordering.causes(logical)
        order = ordering.canonical(logical, direct)
        told = [logical[i] for i in order]
        ids = dict.fromkeys(e.message for e in told if e.message)
        self.names = {task_id: f"m{n}" for n, task_id in enumerate(ids, 1)}
        self.times = times
        self.events = tuple(self._renamed(e) for e in (recorded if times else told))
        self.gaps = frozenset[int]() if times else _gaps(told, order, direct)

    def _renamed(self, event: Event) -> Event:
        ties = tuple(self.names.get(tie, tie) for tie in event.ties)
        return replace(
            event, message=self.names.get(event.message, event.message), ties=ties
        )

    def of(self, message: str) -> Timeline:
        """The story of one message, given by its name or task id.

        Raises:
            KeyError: nothing was recorded of such a message.
        """
        name = self.names.get(message, message)
        if name not in self.names.values():
            known = ", ".join(self.names.values()) or "none"
            raise KeyError(f"no message {message!r} in this timeline; known: {known}")
        part = copy(self)
        part.events = tuple(e for e in self.events if e.message == name)
        part.gaps = frozenset()
        return part

    def effects(self, lane: str = "") -> tuple[Event, ...]:
        """What the outside world noticed; only on *lane* if one is given."""
        effects = (e for e in self.events if e.kind == "effect")
        return tuple(e for e in effects if lane in {"", e.lane})

    def attempts(self, message: str) -> int:
        """How often the execution of a message (name or task id) was started."""
        return sum(e.kind == "start" for e in self.of(message).events)

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes on which something happened, in their fixed order."""
        return tuple(sorted({e.lane for e in self.events}, key=ordering.lane_key))

    @property
    def alt(self) -> str:
        """The timeline in a sentence per message: the alt text of its picture."""
        head = f"Timeline of {len(self.events)} events; lanes: {', '.join(self.lanes)}."
        stories = (self.of(name) for name in self.names.values())
        return " ".join([head, *(_summary(s) for s in stories if s.events)])

    def __str__(self) -> str:
        """A line per event: margin, lane, message, attempt, kind, what happened."""
        return "\n".join(gap + text for gap, text, _ in self._rows()) or _NOTHING

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [gap + _html(text, event) for gap, text, event in self._rows()]
        text = "\n".join(rows) or _NOTHING
        return f'<pre style="line-height: 1.4; font-family: monospace">{text}</pre>'

    def _rows(self) -> Iterator[tuple[str, str, Event]]:
        """Each event's gap before it, and its text, at most 80 columns wide."""
        width = max((len(e.message) for e in self.events), default=0)
        for at, event in enumerate(self.events):
            seconds = event.time - self.events[0].time
            clock = f"{seconds:8.3f}  " if self.times else ""
            yield "\n" * (at in self.gaps), _text(event, clock, width), event


def _text(event: Event, clock: str, width: int) -> str:
    attempt = f"#{event.attempt}" if event.attempt else ""
    who = f"{event.lane:<8}  {event.message:<{width}} {attempt:<2}"
    head = f"{mark(event)} {clock}{who}  {event.kind:<8} "
    lines = textwrap.wrap(said(event), WIDTH - len(head)) or [""]
    return ("\n" + " " * len(head)).join(lines).join([head, ""]).rstrip()


def _html(text: str, event: Event) -> str:
    """Its margin's mark as a badge, and what is marked in bold."""
    if mark(event) == " ":
        return escape(text)
    badge = f'<span style="{_BADGES[text[0]]}">{escape(text[0])}</span>'
    return f"{badge}<b>{escape(text[1:])}</b>"


def _gaps(
    told: Sequence[Event], order: Sequence[int], direct: Sequence[set[int]]
) -> frozenset[int]:
    """Where the story changes to an event that did not wait for the one above."""
    before = ordering.ancestors(direct)
    return frozenset(
        at
        for at in range(1, len(told))
        if told[at].message != told[at - 1].message
        and not before[order[at]] >> order[at - 1] & 1
    )


def _summary(story: Timeline) -> str:
    """One message: its call, its attempts, its effects and faults, its end."""
    name, kinds = story.events[0].message, Counter(e.kind for e in story.events)
    call = next((e.text for e in story.events if e.kind == "publish"), "")
    marked = Counter(f"{e.kind} {e.text}" for e in story.events if mark(e) in "*!")
    end = [e.text for e in story.events if e.kind == "finish"][-1:] or ["no finish"]
    parts = [
        _count(kinds["start"], "attempt"),
        *(f"{what} ({_count(n, 'time')})" for what, n in marked.items()),
        *end,
        _count(kinds["ack"], "ack"),
    ]
    return f"{name} {call}: {', '.join(parts)}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
