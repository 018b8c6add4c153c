"""Events of comprehensions fold, passes of loops do not: the same on 3.11 to 3.13."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.workers.folding import Folds, folded_frame

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

CASES = [
    ("a = [i for i in range(3)]", [2]),
    ("a = {\n        i: i\n        for i in range(3)\n    }", [2]),
    ("for i in [j for j in range(2)]:\n        a = i", [2, 3, 2, 3, 2]),
    ("if any(i > 5 for i in range(3)):\n        pass", [2]),
    (
        (
            "k = 0\n    while True:\n        a = [\n            i for i in range(3)]\n"
            "        k += 1\n        if k > 1: break"
        ),
        [2, 3, 4, 6, 7, 3, 4, 6, 7],
    ),
    ("return sum(i for i in range(3))", [2]),
    ("for i in range(2):\n        i + 1", [2, 3, 2, 3, 2]),
]


@pytest.mark.parametrize(("body", "lines"), CASES, ids=[b[:24] for b, _ in CASES])
def test_a_statement_with_a_comprehension_is_one_point(
    tmp_path: Path, body: str, lines: list[int]
) -> None:
    path = tmp_path / "case.py"
    path.write_text(f"def f():\n    {body}\n")
    scope: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # noqa: S102 - our own case
    assert points_of(scope["f"], str(path)) == lines


def points_of(function: Any, file: str) -> list[int]:  # noqa: ANN401 - what exec made
    found: list[int] = []

    def called(frame: FrameType, _event: str, _arg: object) -> Any:  # noqa: ANN401 - settrace's protocol
        if frame.f_code.co_filename != file or folded_frame(frame.f_code):
            return None
        folds = Folds(frame.f_code)

        def traced(frame: FrameType, event: str, _arg: object) -> Any:  # noqa: ANN401 - likewise
            if event == "line" and (line := folds.line(frame)):
                found.append(line)
            return traced

        return traced

    before = sys.gettrace()
    sys.settrace(called)
    try:
        function()
    finally:
        sys.settrace(before)
    return found
