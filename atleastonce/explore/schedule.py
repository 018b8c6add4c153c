"""One schedule: start the copies, let one at a time move, until all have ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from atleastonce.errors import ExploreError
from atleastonce.explore import wire
from atleastonce.explore.actors import Actor, Limits, Stage
from atleastonce.explore.locks import race
from atleastonce.explore.steps import Place, Step
from atleastonce.waiting import Deadline

if TYPE_CHECKING:
    from atleastonce.explore.crew import Crew, Message
    from atleastonce.explore.locks import Locks, Wait

#: Seconds of silence after which Postgres is asked; the answer decides, not the time.
#: An answer that decides nothing doubles it: questions must not load the machine.
SILENCE, LONGEST_SILENCE = 0.002, 0.05
PAIR = 2
#: Chooses the copy that moves: (steps so far, copies that can) -> copy.
Choose = Callable[[Sequence[Step], Sequence[int]], int]


class Endless(ExploreError):
    """A schedule does not come to an end; its copies stand where they are.

    Attributes:
        why: what they did, such as ``made 500 steps without an end``.
    """

    why = ""


class Run:
    """Play one schedule on a crew.

    Args:
        crew: the copies' processes.
        locks: says who waits.
        limits: what it may take.
    """

    def __init__(self, crew: Crew, locks: Locks, limits: Limits) -> None:
        self.crew, self.locks, self.limits = crew, locks, limits
        self.actors = [Actor() for _ in crew.copies]
        self.steps: list[Step] = []
        self.raced: int | None = None
        self._idle = 0.0

    @property
    def errors(self) -> tuple[str, ...]:
        """By copy, what it raised."""
        return tuple(actor.error for actor in self.actors)

    def together(self, choose: Choose) -> None:
        """Start all copies, and let *choose* say which one moves."""
        self._begin(range(len(self.actors)))
        self._play(choose)

    def one_by_one(self, order: Sequence[int]) -> None:
        """Run each copy from its start to its end before the next one starts."""
        for copy in order:
            self._begin([copy])
            self._play(lambda _steps, enabled: enabled[0])

    def _begin(self, copies: Sequence[int]) -> None:
        for copy in copies:
            self.actors[copy].stage = Stage.RUNNING
            self.crew.order(copy, wire.RUN)
        self._settle()

    def _play(self, choose: Choose) -> None:
        while self._active():
            enabled = self._in(Stage.PARKED)
            if enabled:
                self._step(choose(self.steps, enabled), enabled)
            else:
                self._idle_turn()
            self._wake()

    def _active(self) -> bool:
        return any(a.stage not in (Stage.IDLE, Stage.DONE) for a in self.actors)

    def _in(self, stage: Stage) -> list[int]:
        return [i for i, actor in enumerate(self.actors) if actor.stage is stage]

    def _step(self, copy: int, enabled: Sequence[int]) -> None:
        if len(self.steps) >= self.limits.steps:
            raise self._endless(f"made {self.limits.steps} steps without an end")
        actor = self.actors[copy]
        word = wire.WATCH if self._in(Stage.WAITING) else wire.GO
        actor.stage = Stage.RUNNING
        self.crew.order(copy, word)
        for other in self.actors:
            if other is not actor:
                other.naps.clear()
                other.woken = True
        place = actor.place
        self._settle()
        waiting = tuple(self._in(Stage.WAITING))
        self.steps.append(Step(copy, tuple(enabled), place, waiting))

    def _wake(self) -> None:
        """Who sleeps goes on once another copy has moved."""
        woken = [i for i in self._in(Stage.ASLEEP) if self.actors[i].woken]
        for copy in woken:
            self.actors[copy].stage = Stage.RUNNING
            self.crew.order(copy, wire.GO)
        if woken:
            self._settle()

    def _idle_turn(self) -> None:
        """Nobody can move: time must pass, for what expires by itself."""
        asleep = self._in(Stage.ASLEEP)
        self._idle += max((self.actors[copy].nap for copy in asleep), default=0.0)
        if self._idle > self.limits.patience:
            raise self._endless("wait for what nobody will do")
        for copy in asleep:
            self.actors[copy].stage = Stage.RUNNING
            self.crew.order(copy, wire.REST)
        # A wait may have a timeout of its own.
        if not asleep and not self._take(self.limits.patience):
            raise self._endless("wait for what nobody will do")
        self._settle()

    def _settle(self) -> None:
        """Return when each copy is parked, asleep, at its end, or proven to wait."""
        deadline, silence = Deadline(self.limits.patience), SILENCE
        while True:
            if self._in(Stage.RUNNING):
                if self._take(silence):
                    deadline, silence = Deadline(self.limits.patience), SILENCE
                else:
                    self._prove(self._in(Stage.RUNNING))
                    silence = min(2 * silence, LONGEST_SILENCE)
            elif not self._freed():
                return
            if deadline.expired:
                raise self._silent()

    def _prove(self, running: Sequence[int]) -> None:
        waits = self._waits(running)
        for copy in running:
            wait = waits.get(copy)
            # One that closed a cycle is about to become its victim.
            if wait and not wait.strangers and not wait.cycle:
                self.actors[copy].stage = Stage.WAITING
        self._note_race(waits)

    def _waits(self, copies: Sequence[int]) -> dict[int, Wait]:
        kinds = {self.actors[copy].place.kind for copy in copies}
        return self.locks.waits(in_redis="redis" in kinds)

    def _freed(self) -> bool:
        """Ask again about all who wait: one that got its lock runs, unheard yet."""
        waiting = self._in(Stage.WAITING)
        waits = self._waits(waiting) if waiting else {}
        freed = [copy for copy in waiting if copy not in waits]
        for copy in freed:
            self.actors[copy].stage = Stage.RUNNING
        return bool(freed)

    def _note_race(self, waits: dict[int, Wait]) -> None:
        found = [waits[i] for i in self._in(Stage.WAITING) if i in waits]
        # Of two copies one always holds what the other waits for.
        if self.raced is None and len(self.actors) > PAIR and race(found):
            self.raced = len(self.steps)

    def _take(self, timeout: float) -> bool:
        messages = self.crew.hear(timeout)
        for message in messages:
            self._note(message)
        return bool(messages)

    def _note(self, message: Message) -> None:
        actor, fields = self.actors[message.copy], message.fields
        if fields is None:
            raise ExploreError(
                f"The process of {self._name(message.copy)} died in its step "
                f"{self._count(message.copy)}.",
                seen=self.crew.tail(),
                attempt="run it alone, in a plain Python",
            )
        event = fields.pop("event")
        if event == "at":
            actor.stage, actor.place = Stage.PARKED, Place(**fields)
        elif event == "end":
            actor.stage, actor.error = Stage.DONE, fields["error"]
        else:
            self._fall_asleep(message.copy, fields)

    def _fall_asleep(self, copy: int, fields: dict[str, object]) -> None:
        actor = self.actors[copy]
        site = (str(fields.get("file")), int(str(fields.get("line", 0))))
        if site not in actor.naps:
            # The first sleep is only time that passes; a second one at the same
            # place, while nobody else moved, is a loop that waits for somebody.
            actor.naps.add(site)
            self.crew.order(copy, wire.GO)
            return
        actor.stage, actor.woken = Stage.ASLEEP, False
        actor.nap = float(str(fields["seconds"]))

    def _name(self, copy: int) -> str:
        return f"copy {copy + 1}, {self.crew.copies[copy].text},"

    def _count(self, copy: int) -> int:
        return 1 + sum(step.copy == copy for step in self.steps)

    def _endless(self, why: str) -> Endless:
        error = Endless(
            f"The copies {why}, in one schedule.",
            seen=self._stages(),
            attempt="let a loop that waits for something wait with time.sleep",
        )
        error.why = why
        return error

    def _silent(self) -> ExploreError:
        waits = self._waits(range(len(self.actors)))
        strangers = {pid for wait in waits.values() for pid in wait.strangers}
        if strangers:
            return ExploreError(
                "A copy waits for a lock that no copy holds.",
                seen=self.locks.describe(strangers),
                attempt="end that transaction, and search again",
            )
        return ExploreError(
            f"A copy came to no further point within {self.limits.patience:g} s.",
            seen=self._stages(),
            attempt="give its call a timeout",
        )

    def _stages(self) -> str:
        return "; ".join(
            f"copy {i + 1} {actor.stage.value} (last at "
            f"{actor.place.text or actor.place.kind or 'its start'}, line "
            f"{actor.place.line})"
            for i, actor in enumerate(self.actors)
        )
