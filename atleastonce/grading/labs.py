"""Write ``labs/`` from ``solutions/``, and never over a learner's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from atleastonce import answers, course, stubs
from atleastonce.errors import GradingError
from atleastonce.grading import generate
from atleastonce.grading import notebook as nb
from atleastonce.whole import write

if TYPE_CHECKING:
    from pathlib import Path

State = Literal["same", "written", "stale", "yours"]


def write_labs(*, check: bool = False) -> dict[str, State]:
    """Bring every lab in step with its solution.

    Args:
        check: write nothing; a lab out of step is ``stale``.

    Returns:
        What became of each lab; ``yours`` is one with answers, which was not touched.
    """
    found: dict[str, State] = {}
    for solution in course.notebooks("solutions"):
        lab = generate.generate(nb.read(solution), solution.stem)
        path = course.folder() / "labs" / solution.name
        found[solution.stem] = state = _state(path, nb.dumps(lab))
        if state == "stale" and not check:
            write(path, nb.dumps(lab))
            found[solution.stem] = "written"
    return found


def _state(path: Path, wanted: str) -> State:
    if not path.exists():
        return "stale"
    if path.read_bytes() == wanted.encode():
        return "same"
    return "yours" if _has_answers(path) else "stale"


def _has_answers(path: Path) -> bool:
    """Some answer differs from its stub, or the file holds what we don't understand."""
    try:
        learner = nb.read(path)
    except GradingError:
        return True
    ours = stubs.of_lab(path.stem)
    sources = [c["source"] for c in learner["cells"] if c["cell_type"] == "code"]
    return any(answers.attempted(texts, sources) for texts in ours.values())
