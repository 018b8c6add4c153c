"""The package keeps its layers, its two gates (the clock, the environment), its sizes.

Read from the syntax trees: imports inside functions count, those for types only don't.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import atleastonce

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(atleastonce.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
NAMES = [path.relative_to(ROOT).as_posix() for path in FILES]
BY_NAME = dict(zip(NAMES, FILES, strict=True))

# Each part (a module or a folder of the package) and the parts that it may import.
# A part that is missing here has no layer yet: decide on one.
FLOOR = {"addresses", "errors", "modes", "scratch", "settings", "waiting"}
LOG = FLOOR | {"events", "eventlog"}
LIVE = LOG | {"services", "workers"}
TOLD = {"events", "ordering", "timeline"}
CLAIMS = {"answers", "claims", "untouched", "verdicts", "verdict_text"}
BOOKS = {"course", "needs"}
LAYERS: dict[str, set[str]] = {
    "errors": set(),
    "addresses": {"errors"},
    "settings": {"addresses", "errors"},
    "waiting": {"errors", "settings"},
    "modes": set(),
    "scratch": {"settings"},
    "events": set(),
    "eventlog": FLOOR | {"events"},
    "ordering": {"events"},
    "timeline": {"events", "ordering"},
    "palette": set(),
    "showing": set(),
    "picture": TOLD | {"palette", "showing"},
    "curves": {"palette", "picture"},
    "spans": {"palette", "picture"},
    "paths": {"palette", "picture"},
    "whereabouts": {"palette", "picture"},
    "risks": set(),
    "riskmap": {"palette", "picture", "risks"},
    "world": set(),
    "answers": set(),
    "untouched": {"answers"},
    "verdict_text": set(),
    "verdicts": {"errors", "verdict_text"},
    "claims": FLOOR | TOLD | CLAIMS | {"picture", "world"},
    "services": LOG,
    "shop": LOG,
    "workers": LOG | {"services"},
    "relay": set(),
    "fileanswers": set(),
    "fileserver": FLOOR | {"fileanswers", "services"},
    "proxy": LIVE | {"relay"},
    "faults": LIVE,
    "publishing": LIVE | {"proxy", "faults", "shop"},
    "striking": LIVE | {"faults", "publishing"},
    "explore": LIVE | {"proxy", "faults"},
    "neighbour": LIVE,
    "weight": TOLD | {"palette", "picture"},
    "gauntlet": LIVE | {"explore", "faults", "shop"},
    "own": LIVE | {"explore"},
    "course": {"errors"},
    "whole": {"errors"},
    "marks": FLOOR | {"course", "whole"},
    "stubs": {"errors", "course"},
    "reserved": {"answers", "errors", "course"},
    "needs": FLOOR,
    "sentry": FLOOR,
    "watching": FLOOR | {"sentry"},
    "nights": FLOOR,
    "silences": LIVE | {"kernel", "nights"},
    "inventory": LIVE | {"world"},
    "kernel": LIVE | {"shop", "explore"},
    "tasks": FLOOR,
    "grading": FLOOR | CLAIMS | BOOKS | {"stubs", "marks", "whole"},
    "doctor": FLOOR | BOOKS | {"services"},
    "keeper": FLOOR | {"services"},
}
# What a notebook opens may use all of that but its judge; the command line may use all.
ALL = {*LAYERS, "lab", "magic"}
TOPS = {
    "": ALL,
    "lab": ALL - {"grading", "doctor", "magic"},
    "magic": ALL - {"grading", "doctor"},
    "cli": ALL,
    "soak": ALL | {"cli"},
    "jupyter": ALL | {"cli"},
    "__main__": {"cli"},
}
PURE = {"events", "ordering", "timeline", "picture", "curves", "spans", "world"}
PURE |= {"answers", "risks", "palette", "riskmap", "verdict_text"}
# What has a clock, a process or a wire in it.
IMPURE = {
    *("os", "time", "datetime", "random", "uuid", "threading", "asyncio", "pathlib"),
    *("subprocess", "socket", "signal", "tempfile", "redis", "psycopg", "requests"),
    *("celery", "kombu", "billiard", "django", "aiosmtpd", "cheroot", "IPython"),
}

# Modules of 251 to 300 lines, each with the reason why it is not two.
LONG: dict[str, str] = {
    "lab.py": "all that a lesson sees, in one place; each verb is done elsewhere",
}


def part(name: str) -> str:
    """The part a file or a dotted module belongs to, "" for the package itself."""
    dotted = name.removesuffix(".py").replace("/", ".")
    first = dotted.removeprefix("atleastonce").strip(".").split(".")[0]
    return "" if first == "__init__" else first


def is_ours(module: str) -> bool:
    return module.split(".", 1)[0] == "atleastonce"


def for_types(node: ast.If) -> bool:
    return ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def walk(node: ast.AST, inside: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Every node that runs, with the name of the innermost function around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and for_types(child):
            yield from walk(ast.Module(child.orelse, []), inside)
            continue
        yield child, inside
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from walk(child, child.name if is_function else inside)


def imports(source: str) -> set[str]:
    """The modules that *source* imports, and names that may be modules, dotted."""
    found = set()
    for node, _ in walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def uses(source: str, module: str, names: set[str]) -> set[str]:
    """The functions ("" at top level) in which *module*'s *names* are used."""
    found = set()
    for node, inside in walk(ast.parse(source)):
        from_it = isinstance(node, ast.ImportFrom) and node.module == module
        if from_it and names & {alias.name for alias in node.names}:
            found.add(inside)
        attribute = isinstance(node, ast.Attribute) and node.attr in names
        if attribute and isinstance(node.value, ast.Name) and node.value.id == module:
            found.add(inside)
    return found


def too_long(source: str, limit: int = 40) -> list[str]:
    """The functions of more than *limit* lines, without decorators and docstring."""
    return [
        f"{node.name}: {lines} lines"
        for node, _ in walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := length(node) - documented(node)) > limit
    ]


def length(node: ast.stmt) -> int:
    return (node.end_lineno or 0) - node.lineno + 1


def documented(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return length(node.body[0]) if ast.get_docstring(node) else 0


@pytest.mark.parametrize("name", NAMES)
def test_a_module_imports_only_what_lies_below_it(name: str) -> None:
    mine = part(name)
    allowed = (LAYERS | TOPS).get(mine)
    assert allowed is not None, f"{name} has no layer: give {mine!r} one in this test"
    ours = {i for i in imports(BY_NAME[name].read_text()) if is_ours(i)}
    wrong = {i for i in ours if part(i) not in allowed | {mine}}
    assert not wrong, f"{name} imports {', '.join(sorted(wrong))}"


def test_the_layers_form_an_order() -> None:
    placed: set[str] = set()
    while ready := {k for k, below in LAYERS.items() if below - {k} <= placed} - placed:
        placed |= ready
    assert placed == set(LAYERS)


@pytest.mark.parametrize("name", [n for n in NAMES if part(n) in PURE])
def test_a_pure_module_has_no_clock_no_process_and_no_wire(name: str) -> None:
    roots = {i.split(".")[0] for i in imports(BY_NAME[name].read_text())}
    assert not roots & IMPURE


@pytest.mark.parametrize("name", NAMES)
def test_nothing_sleeps_but_waiting(name: str) -> None:
    found = uses(BY_NAME[name].read_text(), "time", {"sleep"})
    if name == "explore/stepper.py":
        found -= {"catch_sleeps"}  # makes the sleep of a copy under search a point
    assert not found or name == "waiting.py", f"{name}: {found}; use waiting.pause"


@pytest.mark.parametrize("name", NAMES)
def test_the_environment_is_read_in_settings_and_copied_for_children(name: str) -> None:
    names = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
    found = uses(BY_NAME[name].read_text(), "os", names)
    if name == "services/process.py":
        found -= {"child_env"}
    assert not found or name == "settings.py", f"{name}: in {found}; use Settings"


@pytest.mark.parametrize("name", NAMES)
def test_a_module_is_at_most_250_lines_and_300_with_a_reason(name: str) -> None:
    lines = len(BY_NAME[name].read_text().splitlines())
    assert lines <= (300 if name in LONG else 250)


def test_no_reason_is_left_for_a_module_that_is_short_enough() -> None:
    assert [n for n in LONG if len(BY_NAME[n].read_text().splitlines()) <= 250] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_at_most_40_lines(name: str) -> None:
    assert too_long(BY_NAME[name].read_text()) == []


# The reading itself, on sources that break each rule.


def test_an_import_inside_a_function_counts_and_one_for_types_does_not() -> None:
    source = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from atleastonce import lab
else:
    import first
def f():
    from atleastonce.shop import models as m
    def g():
        import atleastonce.workers.fleet
"""
    assert imports(source) - {"typing.TYPE_CHECKING"} == {
        "first",
        "atleastonce.shop.models",
        "atleastonce.workers.fleet",
    }


def test_a_module_and_a_folder_belong_to_their_part() -> None:
    found = [part(n) for n in ("shop/gateway/wire.py", "atleastonce.shop.models")]
    assert found == ["shop", "shop"]
    assert part("atleastonce.lab") == "lab"
    assert part("__init__.py") == part("atleastonce") == ""


def test_each_way_to_sleep_or_to_read_the_environment_is_seen() -> None:
    assert uses("import time\ntime.sleep(1)", "time", {"sleep"}) == {""}
    assert uses("def f():\n from time import sleep", "time", {"sleep"}) == {"f"}
    assert uses("import os\ndef f():\n  os.environ['X']", "os", {"environ"}) == {"f"}
    assert uses("pause.sleep(1)", "time", {"sleep"}) == set()


def test_a_function_of_41_lines_is_too_long() -> None:
    source = "def f():\n" + "    x = 1\n" * 40
    assert too_long(source) == ["f: 41 lines"]
    assert too_long(source.removesuffix("    x = 1\n")) == []
