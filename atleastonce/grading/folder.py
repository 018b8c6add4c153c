"""Grade a folder of submissions: a subfolder per person, a notebook per lab.

Notebooks that lie in the folder itself belong to the folder. Results are kept beside
the submissions, in ``.atleastonce/``; what did not change is not graded again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from atleastonce import course
from atleastonce.grading.grade import grade
from atleastonce.grading.page import page, section
from atleastonce.grading.report import Report
from atleastonce.grading.terminal import points
from atleastonce.whole import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from atleastonce.grading.run import Limits

#: Labs of two people at a time: a grading waits more than it works.
SIDE_BY_SIDE = 2
FORMAT = 1


@dataclass(frozen=True)
class Submission:
    """One notebook that one person handed in."""

    who: str
    path: Path


def submissions(folder: Path) -> list[Submission]:
    """All notebooks in *folder* and its subfolders of one level, by person."""
    mine = [Submission(folder.resolve().name, p) for p in _notebooks(folder)]
    people = [p for p in sorted(folder.iterdir()) if p.is_dir() and p.name[0] != "."]
    theirs = [Submission(who.name, p) for who in people for p in _notebooks(who)]
    return [*mine, *theirs]


def _notebooks(folder: Path) -> list[Path]:
    return sorted(p for p in folder.glob("*.ipynb") if p.name[0] != ".")


def grade_folder(
    folder: Path,
    *,
    exercise: int = 0,
    limits: Limits | None = None,
    done: Callable[[Report], None] = lambda _: None,
) -> list[Report]:
    """Grade every submission, two at a time; one broken one stops nobody.

    Args:
        folder: what was handed in.
        exercise: grade only this one; 0 for all.
        limits: what one run may use.
        done: called with each report as it comes, from a thread.
    """

    def one(submission: Submission) -> Report:
        report = _graded(folder, submission, exercise, limits)
        done(report)
        return report

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        return list(pool.map(one, submissions(folder)))


def _graded(
    folder: Path, submission: Submission, exercise: int, limits: Limits | None
) -> Report:
    key = _key(submission, exercise)
    kept = folder / ".atleastonce" / "reports" / f"{key}.json"
    if report := _kept(kept):
        report.who = submission.who
        return report
    report = grade(submission.path, exercise=exercise, limits=limits)
    report.who = submission.who
    # What could not be graded may be gradable tomorrow.
    if report.exit_code < 2:  # noqa: PLR2004 - 0 and 1 are verdicts
        write(kept, json.dumps(report.as_dict(), indent=1) + "\n")
    return report


def _kept(path: Path) -> Report | None:
    try:
        return Report.from_dict(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _key(submission: Submission, exercise: int) -> str:
    """Equal for equal work: the notebook, the modules beside it, all solutions."""
    digest = hashlib.sha256(f"{FORMAT} {submission.who} {exercise}".encode())
    modules = sorted(submission.path.parent.glob("*.py"))
    for path in [submission.path, *modules, *course.notebooks("solutions")]:
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        digest.update(path.name.encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()[:32]


def as_csv(reports: Sequence[Report]) -> str:
    """One line per person and check."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["who", "lab", "check", "verdict", "points", "most", "why"])
    for report in reports:
        for row in report.rows:
            numbers = [points(row.points), points(row.most)]
            line = [report.who, report.lab, row.check, row.verdict, *numbers, row.why]
            writer.writerow([_no_formula(text) for text in line])
        if not report.rows:
            writer.writerow([report.who, report.lab, "", "", "0", "0", report.error])
    return text.getvalue()


def _no_formula(text: str) -> str:
    # A spreadsheet takes these for the beginning of a formula.
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


@dataclass(frozen=True)
class Tally:
    """How one check fared with everybody."""

    check: str
    passed: int
    failed: int
    attempted: int
    common: str


def tallies(reports: Iterable[Report]) -> list[Tally]:
    """Each check, the most failed first, with its most common wrong outcome."""
    rows = [(f"{r.lab} {row.check}", row) for r in reports for row in r.rows]
    found = []
    for name in dict.fromkeys(name for name, _ in rows):
        mine = [row for key, row in rows if key == name]
        tried = [row for row in mine if row.verdict != "not attempted"]
        wrong = [row for row in tried if row.verdict != "pass"]
        outcomes = Counter(_outcome(row.why, row.evidence) for row in wrong)
        common = outcomes.most_common(1)[0][0] if outcomes else ""
        passed = len(tried) - len(wrong)
        found.append(Tally(name, passed, len(wrong), len(tried), common))
    return sorted(found, key=lambda tally: -tally.failed)


def _outcome(why: str, evidence: list[dict[str, object]]) -> str:
    broken = [item for item in evidence if not item["holds"]]
    if broken:
        item = broken[0]
        return f"{item['what']}: {item['seen']}; should be {item['want']}"
    return why.partition("\n")[0]


def folder_page(reports: Sequence[Report]) -> str:
    """HTML: people, checks with what went wrong most, then everybody's report."""
    people = "".join(
        f"<tr><td>{escape(r.who)}</td><td>{escape(r.lab)}</td>"
        f"<td class='number'>{points(r.points)}/{points(r.most)}</td></tr>"
        for r in reports
    )
    checks = "".join(
        f"<tr><td>{escape(t.check)}</td><td class='number'>{t.passed}</td>"
        f"<td class='number'>{t.failed}</td><td>{escape(t.common)}</td></tr>"
        for t in tallies(reports)
    )
    body = (
        "<h2>People</h2><table><tr><th>who</th><th>lab</th>"
        f"<th class='number'>points</th></tr>{people}</table>"
        "<h2>Checks</h2><table><tr><th>check</th><th class='number'>passed</th>"
        "<th class='number'>failed</th><th>most common wrong outcome</th></tr>"
        f"{checks}</table>"
    )
    details = "\n".join(section(report) for report in reports)
    return page("At Least Once: results", body + details)
