"""`make test` verifies the lessons without what only developers install."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from atleastonce import course

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = course.folder() / "tests" / "learner"
LINE = re.compile(r"^([A-Za-z][\w.-]*)", re.MULTILINE)


def brought_along(names: Iterable[str]) -> set[str]:
    """*names*, and all that they need here, as far as it is installed."""
    found: set[str] = set()
    todo = [plain(name) for name in names]
    while todo:
        name = todo.pop()
        try:
            needed = [Requirement(line) for line in requires(name) or []]
        except PackageNotFoundError:
            continue
        found.add(name)
        wanted = (n for n in needed if not n.marker or n.marker.evaluate({"extra": ""}))
        todo += {plain(n.name) for n in wanted} - found
    return found


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def listed(file: str) -> list[str]:
    return LINE.findall((course.folder() / file).read_text())


def test_all_that_only_developers_install_is_hidden() -> None:
    course_has = brought_along([*listed("requirements.txt"), "atleastonce", "pip"])
    only_ours = brought_along(listed("requirements-dev.txt")) - course_has
    hidden = runpy.run_path(str(FOLDER / "sitecustomize.py"))["HIDDEN"]
    assert "greenlet" in modules_of(only_ours)
    assert modules_of(only_ours) <= hidden
    assert not modules_of(course_has) & hidden


def modules_of(distributions: set[str]) -> set[str]:
    """Modules that come with these, and with no other."""
    return {
        module
        for module, owners in packages_distributions().items()
        if {plain(owner) for owner in owners} <= distributions
        and module.isidentifier()
        and not module.endswith("__mypyc")
    }


def test_a_python_with_that_path_does_not_find_it() -> None:
    code = "import django\nimport rq"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(FOLDER)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "line 2" in done.stderr
    assert "rq is in requirements-dev.txt" in done.stderr
