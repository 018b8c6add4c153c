"""What waited for what, and the one order in which every run of it is printed. Pure.

The recorded order holds accidents: two workers, or a worker and the child it forked,
write to the log whenever the machine lets them. Here the order of cause and effect is
taken out of it (``causes``), and put back into a line that no accident can change
(``canonical``). The rules, each with its reason:

- Events that share a tie keep their order; a message is a tie, and so is the producer.
- An event of no message and no tie was done by the notebook: it is the producer's.
- An early ack (``data["early"]``) waited only for its deliver: Celery's main process
  sends it while the child already runs the task.
- The same message, queued twice: the deliver of the second copy waited for the early
  ack of the first, not for its task. Once the message was sent again, by a retry or by
  the broker, the next deliver is no such copy, however late that ack is recorded.
- After ``retry``, what is left of that attempt (finish, ack) does not precede the next
  one: the new message was out before the old attempt had ended.
- A fault of no message (a worker killed from outside, a service crashed) came after all
  that is recorded before it on its lane, or anywhere if the lane is a service.
- ``ready`` and ``exit`` of workers wait for no message; they are left out.
"""

from __future__ import annotations

from collections import defaultdict
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from atleastonce.events import Event

PRODUCER = "producer"
#: What is known of a worker's life only by the clock.
CLOCKED = frozenset({"ready", "exit"})
#: A message's life in order; breaks ties between concurrent events of one lane.
KINDS = (
    *("publish", "deliver", "ack", "start", "note", "effect", "fault", "barrier"),
    *("retry", "finish", "reject", "requeue", "restore"),
)
_LANES = (PRODUCER, "broker")
_SIDES = ("gateway", "mail", "postgres", "redis")
_ENDS = frozenset({"finish", "ack", "reject"})
#: After these the next deliver of the message is no second copy.
_AGAIN = frozenset({"retry", "requeue", "restore"})


def is_worker(lane: str) -> bool:
    """True for ``w1``, ``w2``, ..."""
    return lane[:1] == "w" and lane[1:].isdigit()


def is_side(lane: str) -> bool:
    """True for a side on which effects are seen: ``gateway``, ``mail``, ..."""
    return lane not in _LANES and not is_worker(lane)


def lane_key(lane: str) -> tuple[int, int, str]:
    """Sorts lanes: producer, broker, workers by number, then the effects' sides."""
    if is_worker(lane):
        return 1, int(lane[1:]), ""
    if not is_side(lane):
        return 0, _LANES.index(lane), ""
    return 2, _SIDES.index(lane) if lane in _SIDES else len(_SIDES), lane


def _kind_key(kind: str) -> tuple[int, str]:
    return KINDS.index(kind) if kind in KINDS else len(KINDS), kind


class _Causes:
    """One pass over the recorded events that finds each one's direct causes."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.last: dict[str, int] = {}
        self.retried: dict[tuple[str, int], int] = {}
        self.delivers: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.acked: dict[tuple[str, str], int] = {}  # early, by message and lane
        self.again: dict[str, int] = {}  # message: when it was sent again last
        self.struck: dict[str, int] = {}  # lane, or "" for all: its last fault
        self.passed: dict[str, set[str]] = defaultdict(set)  # lane: its messages
        self.found = [self._of(at, event) for at, event in enumerate(events)]

    def _of(self, at: int, event: Event) -> set[int]:
        found = {self.struck[k] for k in ("", event.lane) if k in self.struck}
        aside = self._aside(at, event)
        found |= aside
        for tie in self._ties(event):
            if tie == event.message and aside:
                continue
            if tie in self.last:
                found.add(self.last[tie])
            self.last[tie] = at
        if event.kind == "fault" and not event.message:
            found |= self._strike(at, event.lane)
        self._remember(at, event)
        return found

    def _ties(self, event: Event) -> set[str]:
        ties = {event.message, *event.ties} - {""}
        if event.lane == PRODUCER or not ties:
            ties.add(PRODUCER)
        return ties

    def _aside(self, at: int, event: Event) -> set[int]:
        """The cause of an event that its message's story does not wait for."""
        waiting = self.delivers[event.message, event.lane]
        if event.kind == "ack" and event.data.get("early") and waiting:
            delivered = waiting.pop(0)
            if self.again.get(event.message, -1) < delivered:
                self.acked[event.message, event.lane] = at
            return {delivered}
        attempt = event.message, event.attempt
        if attempt in self.retried and event.kind in _ENDS:
            cause, self.retried[attempt] = self.retried[attempt], at
            return {cause}
        first = self.acked.get((event.message, event.lane))
        return {first} if event.kind == "deliver" and first is not None else set()

    def _strike(self, at: int, lane: str) -> set[int]:
        """Puts a fault after all that is recorded on its lane, and before the rest."""
        everywhere = not is_worker(lane)
        touched = set(self.last) if everywhere else self.passed[lane]
        before = {
            i
            for i, event in enumerate(self.events[:at])
            if everywhere or event.lane == lane or event.message in touched
        }
        self.last.update(dict.fromkeys(touched, at))
        self.struck["" if everywhere else lane] = at
        return before

    def _remember(self, at: int, event: Event) -> None:
        if not event.message:
            return
        self.passed[event.lane].add(event.message)
        if event.kind == "deliver":
            self.delivers[event.message, event.lane].append(at)
        if event.kind == "retry":
            self.retried[event.message, event.attempt] = at
        if event.kind in _AGAIN:
            self.again[event.message] = at
            self.acked = {k: v for k, v in self.acked.items() if k[0] != event.message}


def causes(events: Sequence[Event]) -> list[set[int]]:
    """The direct causes of each event, as indexes of earlier ones."""
    return _Causes(events).found


def ancestors(direct: Sequence[set[int]]) -> list[int]:
    """All that came before each event: a bit per index."""
    found: list[int] = []
    for before in direct:
        bits = 0
        for i in before:
            bits |= found[i] | 1 << i
        found.append(bits)
    return found


def _ranks(events: Sequence[Event]) -> dict[str, tuple[object, ...]]:
    """What sorts messages: the producer's order, else what happened to them."""
    stories: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        stories[event.message].append(event)
    mine = [e.message for e in events if e.lane == PRODUCER]
    first = {message: at for at, message in reversed(list(enumerate(mine)))}
    return {
        message: (
            first.get(message, len(events)),
            sorted(_key(e, stories) for e in story),
        )
        for message, story in stories.items()
    }


def _key(event: Event, messages: Iterable[str] = ()) -> tuple[object, ...]:
    ties = tuple(sorted(tie for tie in event.ties if tie not in messages))
    where, what = lane_key(event.lane), _kind_key(event.kind)
    return where, what, event.attempt, event.text, ties


def canonical(events: Sequence[Event], direct: Sequence[set[int]]) -> list[int]:
    """The printed order, as indexes of *events*: causes first, story by story.

    A message's story is told for as long as nothing else must come first; then the
    stories that it began, then the next in the order of publishing. Concurrent events
    of one story: those that end an attempt first, then by lane, kind and text.
    """
    graph = TopologicalSorter(dict(enumerate(direct)))
    graph.prepare()
    teller = _Teller(events)
    ready: set[int] = set()
    while graph.is_active():
        ready.update(graph.get_ready())
        at = min(ready, key=teller.key)
        teller.tell(at)
        ready.remove(at)
        graph.done(at)
    return teller.order


class _Teller:
    """Says which of the events that may come next is told."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.order: list[int] = []
        self.story = ""
        self.met: dict[str, int] = {}  # messages in the order of their first event
        ranks = _ranks(events)
        self.keys = [
            (ranks[e.message], e.kind not in _ENDS, _key(e, ranks)) for e in events
        ]

    def key(self, at: int) -> tuple[object, ...]:
        event = self.events[at]
        met = self.met.get(event.message, len(self.events))
        return not self._in_story(event), bool(event.message), met, self.keys[at]

    def tell(self, at: int) -> None:
        event = self.events[at]
        if not (self.story and self._in_story(event)):
            self.story = event.message
        self.met.setdefault(event.message, len(self.met))
        self.order.append(at)

    def _in_story(self, event: Event) -> bool:
        return self.story == event.message or self.story in event.ties
