"""From the events of a run to a verdict for every check of the lab."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atleastonce import answers
from atleastonce.grading import notebook as nb
from atleastonce.grading.blame import blame
from atleastonce.grading.ends import FATAL
from atleastonce.grading.report import Row

if TYPE_CHECKING:
    from atleastonce.grading.notebook import Cell, Notebook
    from atleastonce.grading.run import Limits, Ran


def blank(pristine: Notebook) -> list[Row]:
    """A row for each check of the lab, before anything ran."""
    rows = [_row(cell) for cell in pristine["cells"] if nb.is_check(cell)]
    for row in rows:
        row.kind = nb.kind_of(pristine, row.exercise)
    return rows


def _row(cell: Cell) -> Row:
    name = nb.cell_id(cell)
    claims = [
        claim for check, claim in answers.checks_of(cell["source"]) if check == name
    ]
    points = float(nb.nbgrader(cell)["points"])
    return Row(name, nb.exercise_of(name), claims[0] if claims else name, points)


class Judge:
    """Reads one run of *notebook*: what each of its checks came to."""

    def __init__(self, notebook: Notebook, ran: Ran, limits: Limits) -> None:
        self.notebook, self.ran, self.limits = notebook, ran, limits
        self._ends = {e["cell"]: e for e in ran.events if e["event"] == "end"}

    @property
    def culprit(self) -> str:
        """The cell after which no other ran; "" when all ran."""
        fatal = [name for name, end in self._ends.items() if end["ended"] in FATAL]
        return fatal[0] if fatal else self.ran.last

    @property
    def setup_error(self) -> tuple[str, str]:
        """Name and text of the error of one of our own cells before any answer."""
        for cell in self.notebook["cells"]:
            if nb.is_check(cell) or cell["id"].startswith(("ex", "extra-")):
                break
            end = self._ends.get(nb.cell_id(cell))
            if end and end["ended"] == "failed" and end["error"]:
                return str(end["error"]["name"]), str(end["error"]["text"])
            if end and end["ended"] == "unstarted":
                return "the kernel did not start", str(end["why"])
            if end and end["ended"] == "timeout":
                return "it is not done", f"{cell['id']} {self._words('timeout', '')}"
        return "", ""

    def decide(self, row: Row) -> None:
        """Fill in *row* by what was seen of it."""
        end = self._ends.get(row.check)
        if end is None:
            self._unreached(row)
        else:
            row.seconds = end["seconds"]
            self._by_end(row, end)
        if row.verdict == "fail":
            self._blame(row, end)

    def close(self, rows: list[Row]) -> None:
        """Take back what did not hold any more when the lab closed."""
        for end in self._ends.values():
            for late in end["verdicts"]:
                for row in rows:
                    if (
                        late["check"] == row.check != end["cell"]
                        and row.verdict == "pass"
                    ):
                        _take(row, late)

    def _by_end(self, row: Row, end: dict[str, Any]) -> None:
        ended = end["ended"]
        verdicts = [v for v in end["verdicts"] if v.get("check") == row.check]
        if ended in FATAL | {"patched", "skipped"}:
            row.verdict = "no service" if ended == "skipped" else "fail"
            row.why = self._words(ended, end["why"])
        elif verdicts:
            _take(row, verdicts[-1])
            # What an earlier check's evidence had to say stands here too.
            if row.verdict == "pass" and ended != "ran" and verdicts == end["verdicts"]:
                row.verdict = "fail"
                row.why = "What the check displayed differs from its reference."
        else:
            row.verdict, row.why = _by_error(end["error"])

    def _unreached(self, row: Row) -> None:
        culprit = self.culprit
        end = self._ends.get(culprit)
        what = self._words(end["ended"] if end else self.ran.stopped, "")
        row.verdict, row.why = (
            "not reached",
            f"Before it, {culprit or 'the run'} {what}.",
        )
        if nb.exercise_of(culprit) == row.exercise and culprit not in {"", row.check}:
            # An answer that ends the run is a wrong answer; a check that hangs says so.
            row.verdict = "fail" if self._is_answer(culprit) else "not reached"
        if culprit == row.check:
            row.verdict, row.why = "fail", f"It {what}."

    def _is_answer(self, name: str) -> bool:
        cells = [cell for cell in self.notebook["cells"] if nb.cell_id(cell) == name]
        return any(not nb.is_locked(cell) for cell in cells)

    def _words(self, ended: str, why: str) -> str:
        most = self.limits
        words = {
            "timeout": f"took longer than {most.cell:g} s{_busy()}",
            "died": "ended the kernel",
            "flood": "printed more than 4 MiB",
            "exhausted": "ran out of memory",
            "patched": f"Something that the check relies on was replaced: {why}.",
            "skipped": why.removeprefix("Skipped: "),
            "seconds": f"was running when the lab had taken {most.seconds:g} s",
            "processes": f"started more than {most.processes} processes",
            "memory": f"used more than {most.memory / 1024**3:g} GiB of memory",
        }
        return words.get(ended, "ended the run")

    def _blame(self, row: Row, end: dict[str, Any] | None) -> None:
        mine = [
            cell
            for cell in self.notebook["cells"]
            if cell["cell_type"] == "code" and not nb.is_locked(cell)
            if nb.exercise_of(nb.cell_id(cell)) == row.exercise
        ]
        errors = {name: e["error"] for name, e in self._ends.items() if e["error"]}
        blame(row, mine, errors, end["error"] if end else None)


def _busy() -> str:
    """What may be the reason, when others keep all cores busy."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load < 2 * cores:
        return ""
    return f" (load {load:.0f} on {cores} cores; a larger --timeout may help)"


def _take(row: Row, verdict: dict[str, Any]) -> None:
    row.verdict, row.why = verdict["value"], verdict["why"]
    row.evidence = list(verdict["evidence"])


def _by_error(error: dict[str, Any] | None) -> Any:  # noqa: ANN401 - a Value and a text
    if error is None:
        return "fail", "The check gave no verdict."
    names = {"NoService": "no service", "NotAttempted": "not attempted"}
    return names.get(error["name"], "fail"), f"{error['name']}: {error['text']}"
