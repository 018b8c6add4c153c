"""What a check says: pieces of evidence, and the verdict that they add up to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from atleastonce.errors import NoService
from atleastonce.verdict_text import as_html, as_text

#: Under this MIME type the grader finds a verdict among a cell's outputs.
MIME = "application/vnd.atleastonce.verdict+json"
Value = Literal["pass", "fail", "not attempted", "not reached", "no service"]
Seen = object | Callable[[], object]


@dataclass(frozen=True)
class Evidence:
    """One thing looked at: what it is, what it should be, what was seen.

    Attributes:
        want: what it should be, as text.
        seen: what was seen, as text.
        holds: it is what it should be.
        text: what shows how it came about, such as a timeline; only when it fails.
        html: the same for a notebook.
        line: the line of the learner's cell that it points at, from 1; 0 for none.
    """

    what: str
    want: str
    seen: str
    holds: bool
    text: str = ""
    html: str = ""
    line: int = 0


class Looked:
    """An evidence that can be looked at once more, when the lab closes.

    Attributes:
        first: as it was when the check was made.
        may_change: it was read by a callable; a value stays what it was.
    """

    def __init__(self, look: Callable[[], Evidence], *, may_change: bool) -> None:
        self._look, self.first = look, look()
        self.may_change = may_change

    def again(self) -> Evidence:
        """The evidence as it is now."""
        return self._look()


@dataclass(frozen=True)
class Verdict:
    """What became of one claim.

    Attributes:
        check: the id of the check, such as ``ex1-crash-anywhere``.
        claim: the sentence that must hold.
        value: one of the five verdicts.
        why: one sentence for a claim that was not decided by its evidence.
    """

    check: str
    claim: str
    value: Value
    evidence: tuple[Evidence, ...] = ()
    why: str = ""

    def __repr__(self) -> str:
        """The verdict as lines of text."""
        return as_text(asdict(self))

    def _repr_html_(self) -> str:
        return as_html(asdict(self))

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        return {MIME: asdict(self)}


def evidence(
    what: str,
    *,
    seen: Seen,
    want: object,
    holds: Callable[[Any], bool] | None = None,
    show: object = None,
    line: int = 0,
) -> Looked:
    """Look at one thing: ``evidence("charges", seen=len(charges()), want=1)``.

    Args:
        what: what is looked at, as a reader would call it.
        seen: what was seen. A callable is called now, and again when the lab closes,
            so it must name its own data: a later check may clear everybody's.
        want: what it should be; with *holds*, only its description.
        holds: decides in place of ``seen == want``. What was seen is then shown only
            when it fails: nbval compares a verdict that passes, and numbers differ.
        show: a timeline or sweep table, shown when the evidence does not hold.
        line: the line of the learner's cell to point at, from 1.

    Raises:
        NoService: from *seen*; any other error of *seen* is evidence that fails.
    """

    def look() -> Evidence:
        try:
            value = seen() if callable(seen) else seen
            good = bool(holds(value) if holds else value == want)
        except NoService:
            raise
        except Exception as error:  # noqa: BLE001 - an answer may break anything
            value, good = f"{type(error).__name__}: {error}", False
        if good and holds:
            value = want
        texts = ("", "") if good else _shown(show)
        return Evidence(what, str(want), str(value), good, *texts, line)

    return Looked(look, may_change=callable(seen))


def _shown(thing: object) -> tuple[str, str]:
    if thing is None:
        return "", ""
    html = getattr(thing, "_repr_html_", None)
    return str(thing), str(html() or "") if html else ""
