"""What an answer's ``%%tasks`` cell leaves alone in its notebook."""

from __future__ import annotations

import json
from typing import Any

import pytest

from atleastonce import course, reserved


def code(*lines: str, answer: bool = False, tags: tuple[str, ...] = ()) -> Any:  # noqa: ANN401 - a cell
    metadata = {"nbgrader": {"solution": answer}, "tags": list(tags)}
    return {"cell_type": "code", "metadata": metadata, "source": "\n".join(lines)}


CELLS = [
    code("from atleastonce import Lab, check as judged", "lab, day = Lab('x'), 1"),
    code("%%tasks today", "@app.task", "def pay(): ..."),
    code("%%tasks release", "def send(): ...", answer=True),
    code("mine = 1", tags=("ungraded",)),
    code("def told(found):", "    inner = found"),
    code("%%tasks settlement", "def settle(): ...", answer=True),
    code("class Later: ..."),
]


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("release", {"Lab", "judged", "lab", "day", "today"}),
        ("settlement", {"Lab", "judged", "lab", "day", "today", "told"}),
        ("today", set()),
        ("of_my_own", set()),
    ],
)
def test_what_stands_before_an_answer_is_not_its_own(
    module: str, names: set[str]
) -> None:
    assert reserved.before(CELLS, module) == names


def test_a_lesson_reserves_nothing() -> None:
    assert reserved.of_answer("no_such_lab", "billing") == set()


@pytest.mark.parametrize("path", course.notebooks("solutions"), ids=lambda p: p.stem)
def test_no_answer_can_take_the_judge_away(path: Any) -> None:  # noqa: ANN401 - a path
    cells = json.loads(path.read_text())["cells"]
    answers = [c for c in cells if c["metadata"].get("nbgrader", {}).get("solution")]
    titles = ["".join(cell["source"]).partition("\n")[0] for cell in answers]
    for title in (title for title in titles if title.startswith("%%tasks")):
        found = reserved.of_answer(path.stem, title.split()[1])
        assert {"lab", "check", "evidence"} <= found
