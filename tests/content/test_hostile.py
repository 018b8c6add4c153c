"""Hostile and unlucky submissions: for each, the verdicts are decided beforehand.

Each row says what the learner's file is, and what every check must come to. None may
hang, leave a process or a folder behind, or end in a traceback of ours.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from atleastonce.grading import notebook
from atleastonce.grading.grade import grade
from atleastonce.grading.run import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RIGHT1 = "def charge(order):\n    if order not in ledger():\n        write(order)"
RIGHT2 = """\
def refund(order):
    before = ledger()
    kept = [line for line in before if line != order]
    Path("ledger.txt").write_text("".join(f"{line}\\n" for line in kept))
    return len(before) - len(kept)"""
WRONG1 = "def charge(order):\n    write(order)"
LIMITS = Limits(
    cell=3.0, seconds=40.0, memory=700 * 2**20, processes=40, file_size=20 * 2**20
)

P, F, N, R = "pass", "fail", "not attempted", "not reached"
ALL = (P, P, P)


def verdicts(path: Path) -> tuple[str, ...]:
    report = grade(path, limits=LIMITS)
    assert "Traceback" not in report.error
    return tuple(row.verdict for row in report.rows)


@pytest.fixture(autouse=True)
def nothing_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No process and no folder of a grading outlives it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "tmp").mkdir()
    # What another module of tests has left running is no grading's.
    before = set(psutil.Process(os.getpid()).children(recursive=True))
    yield
    children = set(psutil.Process(os.getpid()).children(recursive=True)) - before
    assert [child.name() for child in children] == []
    assert list((tmp_path / "tmp").iterdir()) == []
    monkeypatch.setattr(tempfile, "tempdir", None)


# The answer of exercise 1; exercise 2 is right, and must never suffer from it.
ANSWERS: dict[str, tuple[str, tuple[str, str, str]]] = {
    "right": (RIGHT1, ALL),
    "wrong": (WRONG1, (P, F, P)),
    "emptied": ("", (N, N, P)),
    "only a comment": ("# later", (N, N, P)),
    "the stub, reformatted": (
        (
            "def charge(order: int) -> None:\n"
            '    """Charge *order*: one line in the ledger."""\n'
            "    # not yet\n\n    raise NotImplementedError"
        ),
        (N, N, P),
    ),
    "syntax error": ("def charge(order):\n    return (", (F, F, P)),
    "raises when defined": (f"{RIGHT1}\n1 / 0", ALL),
    "raises when called": ("def charge(order):\n    1 / 0", (F, F, P)),
    "infinite loop": ("while True:\n    pass", (F, F, P)),
    "infinite loop when called": (
        "def charge(order):\n    while True: pass",
        (F, R, P),
    ),
    "loop that swallows interrupts": (
        (
            "def charge(order):\n"
            "    while True:\n"
            "        try:\n"
            "            while True: pass\n"
            "        except BaseException: pass"
        ),
        (F, R, P),
    ),
    "os._exit": ("import os\ndef charge(order):\n    os._exit(0)", (F, R, P)),
    "os._exit at once": ("import os\nos._exit(0)", (F, F, P)),
    "sys.exit": ("import sys\ndef charge(order):\n    sys.exit(0)", (F, F, P)),
    "kernel killed": (
        "import os\ndef charge(order):\n    os.kill(os.getpid(), 9)",
        (F, R, P),
    ),
    "the grader's pytest killed": (
        "import os\ndef charge(order):\n    os.kill(os.getppid(), 9)",
        (F, R, P),
    ),
    "too many processes": (
        (
            "import subprocess\ndef charge(order):\n"
            "    for _ in range(60): subprocess.Popen(['sleep', '100'])\n"
            "    while True: pass"
        ),
        (F, R, P),
    ),
    "a process that forks away": (
        "import subprocess\n"
        "subprocess.Popen('(setsid sleep 300 &) &', shell=True)\n" + RIGHT1,
        ALL,
    ),
    "memory in one piece": (
        "def charge(order):\n    bytearray(10**11)",
        (F, R, P),
    ),
    "memory bit by bit": (
        (
            "def charge(order):\n    kept = []\n"
            "    while True: kept.append(bytearray(2**24))"
        ),
        (F, R, P),
    ),
    "a file without end": (
        (
            "def charge(order):\n"
            "    with open('big', 'wb') as file:\n"
            "        while True: file.write(bytes(2**20))"
        ),
        (F, F, P),
    ),
    "prints without end": (
        "def charge(order):\n    while True: print('x' * 10000)",
        (F, R, P),
    ),
    "prints a hundred megabytes": (
        f"{RIGHT1}\n    print('x' * 10**8)",
        (F, R, P),
    ),
    "prints a little": (f"{RIGHT1}\n    print('charged', order)", ALL),
    "faked without the effect": (
        (
            "from atleastonce.verdicts import Verdict\n"
            "def charge(order):\n"
            "    for name in ('ex1-once', 'ex1-twice'):\n"
            "        display(Verdict(name, 'one charge per order', 'pass'))"
        ),
        (F, F, P),
    ),
    "undone later by a thread": (
        "import threading, time\n"
        + RIGHT1.replace("charge", "once")
        + "\ndef undo():\n"
        "    time.sleep(0.3)\n"
        "    Path('ledger.txt').write_text('')\n"
        "def charge(order):\n"
        "    once(order)\n"
        "    threading.Thread(target=undo).start()",
        (F, F, P),
    ),
    "check replaced": (
        f"{WRONG1}\ncheck = lambda name, claim, *e: Verdict(name, claim, 'pass')",
        (F, F, F),
    ),
    "the package's check patched": (
        (
            f"{WRONG1}\nfrom atleastonce import claims\n"
            "claims.Book.check = lambda self, name, claim, found: None"
        ),
        (F, F, F),
    ),
    "the evidence's reader replaced": (
        f"{WRONG1}\n_ledger = ledger\nledger = lambda: sorted(set(_ledger()))",
        (F, F, F),
    ),
    "a builtin replaced": (
        f"{WRONG1}\nimport builtins\nbuiltins.all = lambda items: True",
        (F, F, F),
    ),
    # Honesty is not graded: see docs/workshop.md.
    "all on one line": (
        "def charge(order): order in ledger() or write(order)",
        ALL,
    ),
    "effect in a thread that is waited for": (
        (
            "import threading\ndef charge(order):\n"
            "    work = lambda: order in ledger() or write(order)\n"
            "    thread = threading.Thread(target=work)\n"
            "    thread.start(); thread.join()"
        ),
        ALL,
    ),
    "a magic and a shell line": (f"%config\n!true\n{RIGHT1}", ALL),
    "nbval's own comments": (f"# NBVAL_SKIP\n{RIGHT1}", ALL),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_gets_the_verdict_decided_beforehand(
    name: str, fill: Callable[..., Path]
) -> None:
    answer, wanted = ANSWERS[name]
    assert verdicts(fill(ex1=answer, ex2=RIGHT2)) == wanted


Cells = list[dict[str, Any]]


def _by_id(cells: Cells, name: str) -> dict[str, Any]:
    return next(cell for cell in cells if notebook.cell_id(cell) == name)


def _delete_checks(cells: Cells) -> Cells:
    return [cell for cell in cells if not notebook.is_check(cell)]


def _edit_checks(cells: Cells) -> Cells:
    for cell in filter(notebook.is_check, cells):
        cell["source"] = "None"
    return cells


def _fake_outputs(cells: Cells) -> Cells:
    for cell in filter(notebook.is_check, cells):
        reference = cell["metadata"]["atleastonce"]["reference"]
        cell |= {"outputs": reference, "execution_count": 1}
        cell["metadata"]["nbgrader"]["points"] = 100
    return cells


def _reverse(cells: Cells) -> Cells:
    return cells[::-1]


def _double(cells: Cells) -> Cells:
    return [copy for cell in cells for copy in (cell, json.loads(json.dumps(cell)))]


def _drop_ids(cells: Cells) -> Cells:
    for cell in cells:
        del cell["id"]
    return cells


def _drop_ids_and_metadata(cells: Cells) -> Cells:
    for cell in _drop_ids(cells):
        cell["metadata"] = {}
    return cells


def _one_id_for_all(cells: Cells) -> Cells:
    for cell in cells:
        cell["id"] = "same"
    return cells


def _answers_as_markdown(cells: Cells) -> Cells:
    for cell in filter(notebook.is_answer, cells):
        cell["cell_type"] = "markdown"
        del cell["outputs"], cell["execution_count"]
    return cells


def _delete_answers(cells: Cells) -> Cells:
    return [cell for cell in cells if not notebook.is_answer(cell)]


def _split(cells: Cells) -> Cells:
    """As JupyterLab splits a cell: the second half has the metadata too."""
    answer = _by_id(cells, "ex1-answer")
    half = json.loads(json.dumps(answer))
    half |= {"id": "half", "source": answer["source"]}
    answer["source"] = "import os"
    return [c for cell in cells for c in ((cell, half) if cell is answer else (cell,))]


def _extra(source: str) -> Callable[[Cells], Cells]:
    def add(cells: Cells) -> Cells:
        cell = {"cell_type": "code", "id": "mine", "metadata": {}, "source": source}
        return [cells[0], cell | {"outputs": [], "execution_count": None}, *cells[1:]]

    return add


FILES: dict[str, tuple[Callable[[Cells], Cells], tuple[str, ...]]] = {
    "checks deleted": (_delete_checks, (P, F, P)),
    "checks edited": (_edit_checks, (P, F, P)),
    "outputs and points faked": (_fake_outputs, (P, F, P)),
    "cells reversed": (_reverse, (P, F, P)),
    "cells doubled": (_double, (P, F, P)),
    "ids missing": (_drop_ids, (P, F, P)),
    "ids and metadata missing": (_drop_ids_and_metadata, (P, F, P)),
    "one id for all": (_one_id_for_all, (P, F, P)),
    "answers turned into markdown": (_answers_as_markdown, (P, F, P)),
    "answers deleted": (_delete_answers, (N, N, N)),
    "answer split": (_split, (P, F, P)),
    "a helper cell": (_extra("helper = 1"), (P, F, P)),
    "an extra cell that raises": (_extra("1 / 0"), (P, F, P)),
    "an extra cell that hangs": (_extra("while True: pass"), (R, R, R)),
}


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_changes_nothing_but_its_answers(
    name: str, fill: Callable[..., Path]
) -> None:
    change, wanted = FILES[name]
    path = fill(ex1=WRONG1, ex2=RIGHT2)
    lab = json.loads(path.read_text())
    path.write_text(json.dumps({**lab, "cells": change(lab["cells"])}))
    assert verdicts(path) == wanted


LAB = '{"cells": [], "metadata": {"atleastonce": {"lab": "99_mini"}}, %s}'
VERSION4 = '"nbformat": 4, "nbformat_minor": 5'
DAMAGED: dict[str, bytes] = {
    "empty": b"",
    "not JSON": b"def charge(order): ...",
    "JSON, but no notebook": b"[1, 2, 3]",
    "a number": b"7",
    "truncated": (LAB % VERSION4).encode()[:-20],
    "not UTF-8": b'{"cells": "\xff\xfe"}',
    "no cell of the lab": (LAB % VERSION4).encode(),
    "a version to come": (LAB % '"nbformat": 5, "nbformat_minor": 0').encode(),
    "version 2": b'{"nbformat": 2, "nbformat_minor": 0, "worksheets": 3}',
    "cells are no list": b'{"cells": 3, "metadata": {}, %s}' % VERSION4.encode(),
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_can_not_be_graded_and_says_so(name: str, mini: Path) -> None:
    path = mini / "labs" / "99_mini.ipynb"
    path.write_bytes(DAMAGED[name])
    report = grade(path, limits=LIMITS)
    assert report.exit_code == 2
    assert "Try: " in report.error


def test_another_lab_can_not_be_graded_as_this_one(mini: Path) -> None:
    path = mini / "labs" / "99_mini.ipynb"
    lab = json.loads(path.read_text())
    lab["metadata"]["atleastonce"]["lab"] = "98_other"
    path.write_text(json.dumps(lab))
    assert "none of the course's labs" in grade(path, limits=LIMITS).error


def test_an_older_notebook_format_is_graded_as_well(fill: Callable[..., Path]) -> None:
    import nbformat  # noqa: PLC0415 - only here

    path = fill(ex1=RIGHT1, ex2=RIGHT2)
    old = nbformat.convert(nbformat.read(path, as_version=4), 3)
    path.write_text(json.dumps(old))
    assert verdicts(path) == ALL


def test_the_learners_file_is_only_read(fill: Callable[..., Path]) -> None:
    path = fill(ex1=RIGHT1, ex2=RIGHT2)
    before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    grade(path, limits=LIMITS)
    after = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    assert after == before


def test_a_helper_module_beside_the_notebook_comes_along(
    fill: Callable[..., Path],
) -> None:
    helper = "def once(order, ledger, write):\n    order in ledger() or write(order)\n"
    answer = "import helper\ndef charge(order):\n    helper.once(order, ledger, write)"
    path = fill(ex1=answer, ex2=RIGHT2)
    (path.parent / "helper.py").write_text(helper)
    # These would take over pytest, if they came before its own.
    for name in ("conftest", "nbval", "pytest", "json"):
        (path.parent / f"{name}.py").write_text("raise SystemExit(0)\n")
    (path.parent / "json.py").unlink()
    assert verdicts(path) == ALL


def test_a_solution_read_from_disk_passes(
    fill: Callable[..., Path], mini: Path
) -> None:
    solution = notebook.read(mini / "solutions" / "99_mini.ipynb")
    source = _by_id(solution["cells"], "ex1-answer")["source"]
    (mini / "labs" / "answer.py").write_text(source)
    answer = "exec(open('answer.py').read())\ncharge = charge"
    assert verdicts(fill(ex1=answer, ex2=RIGHT2)) == ALL
