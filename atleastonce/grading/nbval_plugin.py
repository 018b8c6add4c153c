"""The pytest plugin of a grading run: nbval runs the cells, this tells what it saw.

One line of JSON per event goes to a file descriptor that only the grader holds, so what
is known survives any end of the run:
``{"event": "start", "cell": id}`` and ``{"event": "end", "cell": id, "ended": ...}``.
"""

from __future__ import annotations

import ast
import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.errors import NoService
from atleastonce.grading import notebook as nb
from atleastonce.grading.ends import FATAL
from atleastonce.grading.watch import KernelDied, TooMuchOutput, Watch
from atleastonce.needs import reason
from atleastonce.verdicts import MIME

if TYPE_CHECKING:
    from collections.abc import Generator

_DEFINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
#: A learner's own prints and warnings are no part of a verdict.
NOT_COMPARED = ("stdout", "stderr")
#: Characters of a cell's own prints that a report may quote.
MOST_TEXT = 2000


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that turns the recorder on."""
    parser.addoption("--grading-fd", type=int, help="write events of cells here")


def pytest_configure(config: pytest.Config) -> None:
    """Turn the recorder on when the grader asks for it."""
    fd = config.getoption("--grading-fd")
    if fd is not None:
        config.pluginmanager.register(Recorder(fd), "atleastonce-recorder")


class Recorder:
    """Tells of each cell how it ended, and notices patched clients before a check."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._watch: Watch | None = None
        self._marks: dict[str, int] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave prints out of the comparison; run cells that a comment would skip."""
        for item in items:
            item.parent.skip_compare += NOT_COMPARED
            # JupyterLab knows no "# NBVAL_SKIP": the verdicts must be the same here.
            item.options["skip"] = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: Any) -> Generator[None, Any, Any]:  # noqa: ANN401 - an IPyNbCell
        """Run one cell, with the comparison of marks before or after it."""
        self._tell("start", item)
        if why := _missing(item.cell):
            pytest.skip(why)
        if self._watch is None:
            self._watch = Watch(item.parent.kernel)
            self._marks = self._watch.fingerprint([])
        if nb.is_check(item.cell):
            self._compare(item.cell)
        result = yield
        if nb.is_locked(item.cell) and not nb.is_check(item.cell):
            self._learn(item.cell)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
        item: Any,  # noqa: ANN401 - an IPyNbCell
        call: pytest.CallInfo[None],
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Tell how the cell ended; after a hang or a death no other cell runs."""
        report = yield
        if report.when == "call" or (report.when == "setup" and not report.passed):
            ended, why = _ended(item, report, call)
            outputs = item.test_outputs or []
            took = round(report.duration, 3)
            self._tell(
                "end", item, ended=ended, why=why, seconds=took, **_seen(outputs)
            )
            if ended in FATAL:
                item.session.shouldstop = f"{nb.cell_id(item.cell)}: {ended}"
        return report

    def _tell(self, event: str, item: Any, **more: object) -> None:  # noqa: ANN401 - an IPyNbCell
        line = {"event": event, "cell": nb.cell_id(item.cell), **more}
        data = json.dumps(line).encode() + b"\n"
        while data:
            data = data[os.write(self._fd, data) :]

    def _learn(self, cell: nb.Cell) -> None:
        """Marks of what one of our cells has made or loaded."""
        if self._watch:
            made = _names(cell["source"], ast.Store)
            now = self._watch.fingerprint(sorted(made))
            fresh = {key: mark for key, mark in now.items() if _of(key, made)}
            self._marks = {**now, **self._marks, **fresh}

    def _compare(self, cell: nb.Cell) -> None:
        if self._watch is None:
            return
        used = _names(cell["source"], ast.Load)
        known = {key for key in used if key in self._marks}
        now = self._watch.fingerprint(sorted(known))
        changed = [
            key for key, mark in self._marks.items() if now.get(key, mark) != mark
        ]
        shadows = [key for key in now if key not in self._marks and _of(key, known)]
        gone = [] if now else ["the kernel's fingerprint"]
        if patched := sorted(changed + shadows + gone):
            raise Patched(", ".join(patched[:5]))


class Patched(Exception):
    """What a check relies on was replaced."""


def _missing(cell: nb.Cell) -> str:
    try:
        return reason(cell["metadata"])
    except NoService as error:
        pytest.fail(str(error))


def _names(source: str, context: type[ast.expr_context]) -> set[str]:
    """Names that *source* reads (Load) or binds (Store), imports among them."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    names = {
        n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, context)
    }
    if context is ast.Store:
        imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
        names |= {a.asname or a.name for found in imports for a in found.names}
        names |= {n.name for n in nodes if isinstance(n, _DEFINES)}
    return names


def _of(key: str, names: set[str]) -> bool:
    return key.partition(".")[0] in names


def _ended(
    item: Any,  # noqa: ANN401 - an IPyNbCell
    report: pytest.TestReport,
    call: pytest.CallInfo[None],
) -> tuple[str, str]:
    """How a cell ended, in one word, and the detail that a report may quote."""
    error = call.excinfo.value if call.excinfo else None
    words = {KernelDied: "died", TooMuchOutput: "flood", Patched: "patched"}
    for kind, word in words.items():
        if isinstance(error, kind):
            return word, str(error)
    if report.when == "setup":
        return "unstarted", str(error or "")
    # nbval lets a cell that may raise pass when it was interrupted.
    if item.parent.timed_out:
        return "timeout", ""
    if report.skipped or hasattr(report, "wasxfail"):
        return "skipped", str(error or "")
    raised = [output.get("ename", "") for output in item.test_outputs or []]
    if any(name.endswith("MemoryError") for name in raised):
        return "exhausted", str(error or "")
    failed = "differs" if "differ" in str(error) else "failed"
    return ("ran", "") if report.passed else (failed, str(error))


def _seen(outputs: list[Any]) -> dict[str, object]:
    """Verdicts, the error and the last prints among a cell's outputs."""
    data = [out["data"] for out in outputs if "data" in out]
    errors = [out for out in outputs if out["output_type"] == "error"]
    printed = "".join(out["text"] for out in outputs if out["output_type"] == "stream")
    return {
        "verdicts": [found[MIME] for found in data if MIME in found],
        "error": _error(errors[0]) if errors else None,
        "printed": printed[-MOST_TEXT:],
    }


def _error(output: Any) -> dict[str, object]:  # noqa: ANN401 - a notebook's output
    lines = _ANSI.sub("", "\n".join(output["traceback"])).splitlines()
    return {
        "name": output["ename"],
        "text": _ANSI.sub("", output["evalue"])[:MOST_TEXT],
        "traceback": lines[-100:],
    }
