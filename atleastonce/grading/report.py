"""What a grading came to, as data: a row per check, a report per lab."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atleastonce.verdicts import Value

#: Exit codes: all passed; some failed; could not be graded.
PASSED, FAILED, UNGRADED = 0, 1, 2
#: How a reason begins that says nothing of the design.
_SLIP = re.compile(
    r"(?:Your cell raised )?(?:Syntax|Indentation|Name|Attribute|Import|ModuleNotFound)"
    r"Error: |(?:It )?took longer "
)


@dataclass
class Row:
    """One check of the pristine lab, whether it ran or not.

    Attributes:
        why: what to read first, in the learner's terms; "" when evidence says it all.
        evidence: ``Evidence`` as plain data.
        cell: the id of the learner's cell that *line* is in.
        line: a line of that cell, from 1; 0 when none is known.
        source: the text of that line.
        hint: the next hint, for a check that failed.
        kind: ``core`` or ``stretch``, what its exercise is.
    """

    check: str
    exercise: int
    claim: str
    most: float
    verdict: Value = "not reached"
    why: str = ""
    evidence: list[dict[str, Any]] = field(default_factory=list)
    cell: str = ""
    line: int = 0
    source: str = ""
    hint: str = ""
    seconds: float = 0.0
    kind: str = ""

    @property
    def slip(self) -> bool:
        """It failed by a slip of the pen or a busy machine, and not by its design."""
        return self.verdict == "fail" and bool(_SLIP.match(self.why))

    @property
    def points(self) -> float:
        """All of a check's points, or none."""
        return self.most if self.verdict == "pass" else 0.0


@dataclass
class Report:
    """One lab of one learner.

    Attributes:
        who: whose it is, in a folder of submissions; "" otherwise.
        error: why it could not be graded; then there may be no rows.
        notes: what the overlay noticed, such as a check that was restored.
    """

    lab: str
    who: str = ""
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0

    @property
    def points(self) -> float:
        """Points of the checks that passed."""
        return sum(row.points for row in self.rows)

    @property
    def most(self) -> float:
        """Points of all checks."""
        return sum(row.most for row in self.rows)

    @property
    def core_done(self) -> bool:
        """True if every check of the core exercises that were graded has passed."""
        core = [row.verdict for row in self.rows if row.kind == "core"]
        return bool(core) and set(core) == {"pass"}

    @property
    def exit_code(self) -> int:
        """0: all passed; 1: some failed; 2: it could not be graded."""
        if self.error or any(row.verdict == "no service" for row in self.rows):
            return UNGRADED
        return PASSED if all(row.verdict == "pass" for row in self.rows) else FAILED

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        rows = [{**asdict(row), "points": row.points} for row in self.rows]
        totals = {"points": self.points, "most": self.most, "exit": self.exit_code}
        return {**asdict(self), "rows": rows, **totals}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Report:
        """A report back from ``as_dict``."""
        own = {key: found[key] for key in ("lab", "who", "notes", "error", "seconds")}
        names = Row.__dataclass_fields__
        rows = [Row(**{k: row[k] for k in names}) for row in found["rows"]]
        return cls(rows=rows, **own)
