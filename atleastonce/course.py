"""Where the course's notebooks are: lesson, lab and solution have one stem."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from atleastonce.errors import AtLeastOnceError

Kind = Literal["notebooks", "solutions", "labs"]


def folder() -> Path:
    """The clone that holds ``notebooks/``; the package is installed editable."""
    return Path(__file__).resolve().parent.parent


def notebooks(kind: Kind) -> list[Path]:
    """All notebooks of one *kind*, in the order of the course."""
    return sorted((folder() / kind).glob("[0-9][0-9]_*.ipynb"))


def find(name: str, kind: Kind) -> Path:
    """The one notebook that *name* means: ``1``, ``01``, a stem, or a path.

    Raises:
        AtLeastOnceError: there is none; names the ones there are.
    """
    path = Path(name)
    if path.suffix == ".ipynb" and path.is_file():
        return path.resolve()
    wanted = f"{int(name):02d}_" if name.isdigit() else name
    for found in notebooks(kind):
        if found.stem == wanted or (name.isdigit() and found.stem.startswith(wanted)):
            return found
    stems = ", ".join(p.stem for p in notebooks(kind)) or "none"
    raise AtLeastOnceError(
        f"No notebook {name!r} in {kind}/.",
        seen=f"there are: {stems}",
        attempt="give a number such as 01, a stem, or the path of a notebook",
    )


def unit(name: str) -> list[Path]:
    """The lesson that *name* means and, where it has a lab, the lab's solution.

    Raises:
        AtLeastOnceError: as ``find`` does.
    """
    lesson = find(name, "notebooks")
    solution = folder() / "solutions" / lesson.name
    return [lesson, solution] if solution.is_file() else [lesson]
