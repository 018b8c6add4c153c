"""Checks: a claim, decided by its evidence.

A check cell ends in ``check(...)``. A claim that holds gives a ``Verdict``; one that
does not displays it and raises, so that Run All, nbval and nbgrader agree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

from atleastonce import answers
from atleastonce.errors import ClaimBroken, NoService, NotAttempted
from atleastonce.untouched import Untouched
from atleastonce.verdicts import Looked, Value, Verdict, evidence
from atleastonce.waiting import pause

__all__ = ["Book", "attend", "book", "check", "evidence", "show"]


def check(check_id: str, claim: str, *found: Looked) -> Verdict:
    """Decide *claim* by its evidence; all of it must hold.

    Raises:
        NotAttempted: the answer is still the stub.
        ClaimBroken: some evidence does not hold.
    """
    return book.check(check_id, claim, found)


def attend(stubs: dict[str, list[str]]) -> Book:
    """Begin a lab in this kernel: from now on its cells are noted.

    Args:
        stubs: the pristine answer cells of each exercise, such as ``{"ex1": [...]}``.
    """
    from IPython import get_ipython  # noqa: PLC0415 - slow to import

    if shell := get_ipython():
        hooks = {"pre_run_cell": book.before_cell, "post_run_cell": book.after_cell}
        for event, hook in hooks.items():
            if hook not in shell.events.callbacks[event]:
                shell.events.register(event, hook)
        others = [t for t in shell.ast_transformers if not isinstance(t, Untouched)]
        shell.ast_transformers[:] = [*others, Untouched(book.ready)]
    book.open(stubs)
    return book


class Book:
    """What one lab knows of its exercises: stubs, cells that ran, verdicts given."""

    def __init__(self) -> None:
        self.open({})

    def open(self, stubs: dict[str, list[str]]) -> None:
        """Begin a lab: *stubs* are the pristine answer cells of each exercise."""
        self._stubs = stubs
        self._cells: list[str] = []
        self._unloaded: dict[str, str] = {}
        self._passed: list[tuple[Verdict, tuple[Looked, ...]]] = []
        self._told: set[str] = set()

    def check(self, name: str, claim: str, found: tuple[Looked, ...]) -> Verdict:
        """See ``check``."""
        if not self.attempted(name):
            self._refuse(_unattempted(name, claim))
        if why := self._not_loaded(name):
            self._refuse(Verdict(name, claim, "fail", why=why))
        first = tuple(look.first for look in found)
        good = bool(first) and all(item.holds for item in first)
        verdict = Verdict(name, claim, "pass" if good else "fail", first)
        if not good:
            self._refuse(verdict)
        self._told.add(name)
        if any(look.may_change for look in found):
            self._passed.append((verdict, found))
        return verdict

    def attempted(self, check_id: str) -> bool:
        """An answer of the check's exercise ran that is not the stub."""
        stubs = self._stubs.get(check_id.partition("-")[0])
        return stubs is None or answers.attempted(stubs, self._cells)

    def ready(self, check_id: str) -> bool:
        """It was attempted, and the kernel has loaded what was written last."""
        return self.attempted(check_id) and not self._not_loaded(check_id)

    def _not_loaded(self, check_id: str) -> str:
        """Why an exercise's tasks are not those of its cell; "" if they are."""
        stubs = self._stubs.get(check_id.partition("-")[0], [])
        names = {title for stub in stubs for title in answers.titles(stub)}
        failed = [f"{n} failed: {e}" for n, e in self._unloaded.items() if n in names]
        return f"{failed[0]}. Older tasks are not judged." if failed else ""

    def settle(self, wait: float = 0.3) -> list[Verdict]:
        """Look at the evidence of claims that passed once more, and let go of it.

        To be called before the world is emptied for the next check. Displays and
        returns the claims that hold no more.

        Args:
            wait: seconds before, long enough for a late thread, a lease or a TTL.
        """
        passed, self._passed = self._passed, []
        pause(wait if passed else 0.0)
        broken = [late for late in map(_again, passed) if late.value != "pass"]
        for verdict in broken:
            show(verdict)
        return broken

    def recheck(self, wait: float = 1.0) -> None:
        """The same when the lab closes.

        Raises:
            ClaimBroken: a claim that held does not hold any more.
        """
        if broken := self.settle(wait):
            names = ", ".join(verdict.check for verdict in broken)
            raise ClaimBroken(f"Held when checked, and no longer at close: {names}.")

    def before_cell(self, info: Any) -> None:  # noqa: ANN401 - IPython's ExecutionInfo
        """Note a cell that is about to run (IPython's ``pre_run_cell``)."""
        self._told.clear()
        self._cells.append(info.raw_cell)

    def after_cell(self, result: Any) -> None:  # noqa: ANN401 - its ExecutionResult
        """Give the verdict of a check that an error ended before it gave its own."""
        error = result.error_in_exec or result.error_before_exec
        if result.info is None:
            return
        self._note_loading(result.info.raw_cell, error)
        if error is None:
            return
        for name, claim in answers.checks_of(result.info.raw_cell):
            if name not in self._told:
                self._told.add(name)
                show(self._by_error(name, claim, error))

    def _note_loading(self, cell: str, error: BaseException | None) -> None:
        if not cell.lstrip().startswith("%%tasks"):
            return
        for title in answers.titles(cell):
            self._unloaded.pop(title, None)
            if error is not None:
                self._unloaded[title] = f"{type(error).__name__}: {error}"

    def _by_error(self, name: str, claim: str, error: BaseException) -> Verdict:
        if not self.attempted(name):
            return _unattempted(name, claim)
        value: Value = "no service" if isinstance(error, NoService) else "fail"
        return Verdict(name, claim, value, why=f"{type(error).__name__}: {error}")

    def _refuse(self, verdict: Verdict) -> NoReturn:
        self._told.add(verdict.check)
        show(verdict)
        if verdict.value == "not attempted":
            raise NotAttempted(f"{verdict.check}: {verdict.why}")
        failed = sum(not item.holds for item in verdict.evidence)
        count = len(verdict.evidence)
        raise ClaimBroken(
            f"{verdict.check}: {failed} of {count} pieces of evidence fail."
        )


def show(verdict: Verdict) -> None:
    """Display a verdict: in a notebook as HTML, elsewhere as text."""
    from IPython.core.display_functions import display  # noqa: PLC0415 - slow to import

    display(verdict)


def _again(kept: tuple[Verdict, tuple[Looked, ...]]) -> Verdict:
    verdict, looks = kept
    now = tuple(look.again() for look in looks)
    if all(item.holds for item in now):
        return verdict
    why = "It held when it was checked, and no longer when the lab closed."
    return replace(verdict, value="fail", evidence=now, why=why)


def _unattempted(name: str, claim: str) -> Verdict:
    exercise = name.partition("-")[0].removeprefix("ex")
    why = f"No answer of exercise {exercise} has run: only the stub."
    return Verdict(name, claim, "not attempted", why=why)


#: The book of the lab that is open in this kernel; one lab at a time.
book = Book()
