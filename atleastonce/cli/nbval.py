"""Notebooks under strict nbval: run again, and everything printed must be equal."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rich.table import Table

from atleastonce import course
from atleastonce.cli.base import out
from atleastonce.errors import AtLeastOnceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Notebooks wait more than they work: two of them fill two cores.
SIDE_BY_SIDE = ("-n", "2", "--dist", "loadfile")
#: Exit codes of pytest that are an answer: all equal, or something differs.
ANSWERS = (0, 1)
STDERR = 2


@dataclass(frozen=True)
class Result:
    """What one notebook's run came to; cells are counted, time is in seconds."""

    notebook: str
    cells: int
    failed: int
    skipped: int
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether cells ran, and none differed."""
        return self.cells > 0 and not self.failed

    def as_dict(self) -> dict[str, object]:
        """What ``--json`` prints."""
        return {**vars(self), "passed": self.passed}


def chosen(names: Iterable[str]) -> list[Path]:
    """All that is run of each name, or of the course when there is no name."""
    if not names:
        return course.notebooks("notebooks") + course.notebooks("solutions")
    return [path for name in names for path in course.unit(name)]


def command(notebooks: Sequence[Path], *more: str) -> list[str]:
    """The pytest command that compares *notebooks*; options stand in pyproject.toml."""
    config = ["-c", str(course.folder() / "pyproject.toml")]
    paths = [str(path) for path in notebooks]
    return [sys.executable, "-m", "pytest", *config, "--nbval", *paths, *more]


def verify(
    notebooks: Sequence[Path], *, junit: Path | None = None, quiet: bool = False
) -> list[Result]:
    """Run *notebooks*, with pytest's progress, and return a result for each.

    Args:
        notebooks: what to run.
        junit: where JUnit XML is kept, if anywhere.
        quiet: leave stdout alone; progress then goes to stderr.

    Raises:
        AtLeastOnceError: there is nothing to run, or pytest could not run it.
    """
    if not notebooks:
        raise AtLeastOnceError(
            f"No notebooks in {course.folder()}.",
            attempt="run it from a clone of the course: git clone, make start",
        )
    with tempfile.TemporaryDirectory() as scratch:
        report = junit.resolve() if junit else Path(scratch, "junit.xml")
        _run(notebooks, report, quiet=quiet)
        tree = ET.parse(report)  # noqa: S314 - our own pytest wrote it
    return [_result(path, tree) for path in notebooks]


def _run(notebooks: Sequence[Path], report: Path, *, quiet: bool) -> None:
    several = SIDE_BY_SIDE if len(notebooks) > 1 else ()
    done = subprocess.run(
        command(notebooks, "--no-header", f"--junitxml={report}", *several),
        cwd=course.folder(),
        stdout=STDERR if quiet else None,
        check=False,
    )
    if done.returncode not in ANSWERS:
        raise AtLeastOnceError(
            f"pytest exited with {done.returncode}; the notebooks did not run.",
            attempt="atleastonce doctor",
        )


def _result(path: Path, report: ET.ElementTree[ET.Element]) -> Result:
    name = f"{path.parent.name}/{path.name}"
    # pytest writes the path as a dotted class name.
    dotted = name.replace("/", ".")
    cells = [
        case
        for case in report.iter("testcase")
        if case.get("classname", "").replace("/", ".").endswith(dotted)
    ]
    verdicts = [child.tag for case in cells for child in case]
    return Result(
        name,
        cells=len(cells),
        failed=verdicts.count("failure") + verdicts.count("error"),
        skipped=verdicts.count("skipped"),
        seconds=round(sum(float(c.get("time", 0)) for c in cells), 2),
    )


def show(results: Iterable[Result]) -> None:
    """Print one row for each notebook."""
    table = Table(box=None, header_style="bold")
    table.add_column("notebook")
    for head in ("cells", "differ", "skipped", "seconds"):
        table.add_column(head, justify="right")
    for row in results:
        style = "" if row.passed else "bold red"
        numbers = (row.cells, row.failed, row.skipped, f"{row.seconds:.1f}")
        table.add_row(row.notebook, *map(str, numbers), style=style)
    out.print(table)
