"""The ten risks: what each breaks, what helps, and what it leads to. Pure.

``riskmap`` draws them. Each ``LEADS`` is shown by the lesson that it begins at.
"""

from __future__ import annotations

from dataclasses import dataclass

#: What a background task promises.
ONCE, DONE, ENDS = "it is done once", "it is done", "it ends"
RIGHT, SMALL, NOTICED = "it is right", "it stays small", "it is noticed"


@dataclass(frozen=True)
class Risk:
    """One way to fail.

    Attributes:
        unit: its lesson, such as ``01``.
        name: what goes wrong.
        breaks: the promise.
        remedies: what helps; two lines at most.
        column, row: where its box stands, from the upper left.
    """

    unit: str
    name: str
    breaks: str
    remedies: str
    column: int
    row: int


RISKS = (
    Risk(
        "01",
        "duplicates",
        ONCE,
        "a key that the other side honours;\na marker in the effect's transaction",
        0,
        2,
    ),
    Risk(
        "02",
        "loss",
        DONE,
        "late ack, cold shutdown;\noutbox, reconciler",
        1,
        1,
    ),
    Risk(
        "03",
        "infinite retry",
        ENDS,
        "a bound, jitter, a count of deaths;\ndead letters that are kept",
        1,
        2,
    ),
    Risk(
        "04",
        "deadlock",
        ENDS,
        "no wait inside a task;\none order of locks",
        1,
        3,
    ),
    Risk(
        "05",
        "races",
        RIGHT,
        "one statement, a row lock, a version;\na fencing token",
        0,
        3,
    ),
    Risk(
        "06",
        "leaks",
        SMALL,
        "a bound in bytes;\nprocesses that are recycled",
        0,
        0,
    ),
    Risk(
        "07",
        "timeouts",
        ENDS,
        "a deadline for the whole;\na soft limit below a hard one",
        2,
        3,
    ),
    Risk(
        "08",
        "silent failure",
        NOTICED,
        "alarms on effects and ages;\na canary in each queue",
        2,
        2,
    ),
    Risk(
        "09",
        "versioning",
        RIGHT,
        "a tolerant reader, an alias;\nupcast, or park",
        2,
        0,
    ),
    Risk(
        "10",
        "result bloat",
        SMALL,
        "no result, or one that expires;\nresults in a Redis of their own",
        1,
        0,
    ),
)
#: What a risk, or its usual remedy, brings: from, to, and how.
LEADS = {
    ("06", "02"): "out of memory:\nwhat ran is gone",
    ("10", "02"): "a full Redis\ndrops messages",
    ("09", "02"): "nobody knows its\nname: dropped",
    ("09", "08"): "wrong, and SUCCESS",
    ("02", "01"): "given out again,\ndone again",
    ("02", "03"): "what kills its\nworker comes back",
    ("03", "01"): "each retry is\none more run",
    ("03", "08"): "dead letters\nnobody reads",
    ("01", "05"): "two copies\nat once",
    ("05", "04"): "locks are\nwaited for",
    ("04", "07"): "a wait\nwithout an end",
    ("07", "03"): "cut off, and\ntried again",
}
