"""The stage of a search: copies, services and world, put back before every schedule."""

from __future__ import annotations

from contextlib import ExitStack, closing, nullcontext, suppress
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Self

from atleastonce.errors import ExploreError
from atleastonce.explore import ledgers
from atleastonce.explore.crew import Crew
from atleastonce.explore.keys import Keys
from atleastonce.explore.locks import Locks
from atleastonce.explore.schedule import Endless, Run
from atleastonce.explore.steps import Schedule
from atleastonce.explore.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from atleastonce.explore.actors import Limits
    from atleastonce.explore.bench import Bench
    from atleastonce.explore.copies import Copy
    from atleastonce.explore.schedule import Choose
    from atleastonce.explore.steps import World


class Stage:
    """Start the copies and remember the world; leave it as it was found.

    Args:
        copies: what they run.
        bench: the lab whose services they use.
        world: returns what an outcome is judged by.
        reset: called before every schedule, for what lies outside Postgres and Redis.
        limits: what one schedule may take.
        project: the module whose ``setup()`` makes Django ready.
        lines: stop before lines too.
    """

    def __init__(  # noqa: PLR0913 - all of them are needed at once
        self,
        copies: Sequence[Copy],
        bench: Bench,
        *,
        world: Callable[[], World],
        reset: Callable[[], object] | None,
        limits: Limits,
        project: str,
        lines: bool,
    ) -> None:
        self._world, self._reset, self._limits = world, reset, limits
        self._used: set[str] = set()
        self._engaged = ExitStack()
        self._addresses = addresses = bench.addresses
        with ExitStack() as stack:
            tables = Tables(addresses.dsn(), limits.patience)
            self._tables = stack.enter_context(closing(tables))
            self._keys = stack.enter_context(closing(Keys(addresses)))
            stack.push(self._put_back)
            self._hire = partial(Crew, copies, bench, project, lines=lines)
            stack.callback(self._dismiss)
            self._engage()
            self._stack = stack.pop_all()

    def _engage(self) -> None:
        """Start the copies."""
        with ExitStack() as stack:
            self._crew = stack.enter_context(closing(self._hire()))
            # The first to be closed: it ends sessions that wait inside Postgres.
            locks = Locks(self._addresses, self._crew.tag)
            self._locks = stack.enter_context(closing(locks))
            self._engaged = stack.pop_all()

    def _dismiss(self) -> None:
        """End the copies, wherever they stand."""
        self._engaged.close()

    def _put_back(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Put the world back at the end; a first error is the one to tell."""
        with suppress(ExploreError) if error else nullcontext():
            self.restore()

    def play(self, choose: Choose) -> Schedule:
        """Play one schedule from the start; *choose* says which copy moves.

        One that does not end is cut off, and new copies take the place of the old.
        """
        run = self._run()
        try:
            run.together(choose)
        except Endless as error:
            self._replace()
            return Schedule(tuple(run.steps), {}, run.errors, endless=error.why)
        return self._ended(run)

    def _replace(self) -> None:
        """Start new copies, and have them warm what the old ones had warm."""
        for rehearse in (True, False):
            self._dismiss()
            self._engage()
            try:
                if rehearse:
                    self._run().one_by_one(range(len(self._crew.copies)))
            except Endless:
                continue
            return

    def serial(self) -> list[Schedule]:
        """One copy after the other, in every order."""
        found = []
        for order in permutations(range(len(self._crew.copies))):
            run = self._run()
            run.one_by_one(order)
            found.append(self._ended(run))
        return found

    def _run(self) -> Run:
        self.restore()
        # Emptied only after a schedule that used it: on a full core every question
        # costs a turn.
        self._used = {"http", "mail"}
        return Run(self._crew, self._locks, self._limits)

    def _ended(self, run: Run) -> Schedule:
        self._used = {step.place.kind for step in run.steps}
        return Schedule(tuple(run.steps), self.look(), run.errors, run.raced)

    def look(self) -> World:
        """The world now.

        Raises:
            ExploreError: it is no dictionary.
        """
        found = self._world()
        if not isinstance(found, dict):
            raise ExploreError(
                f"world() must return a dict, and returned {found!r}.",
                attempt="return {'balance': account.balance}",
            )
        return found

    def restore(self) -> None:
        """Put Postgres and Redis back, empty the ledgers, and call *reset*."""
        self._tables.restore()
        self._keys.restore()  # always: world() may have published
        if self._used & {"http", "mail"}:
            ledgers.empty(self._addresses)
        if self._reset:
            self._reset()

    def __enter__(self) -> Self:
        """The stage, ready."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the copies, and put the world back."""
        self._stack.__exit__(kind, error, trace)
