"""The README shows what the lessons print, lists them, and links to what is there.

``python tests/content/test_readme.py`` writes its table of the course anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atleastonce import course, jupyter

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "README.md"
README = PAGE.read_text()
BEGIN = """\
<!-- Made from the notebooks; do not edit it: python tests/content/test_readme.py -->

"""
END = "<!-- end of the table -->\n"
HEAD = """\
| number | the question it answers | lab | minutes | fault |
| --- | --- | --- | --- | --- |"""


def table() -> str:
    """The course, a row for each lesson."""
    rows = [" | ".join(_row(path)) for path in course.notebooks("notebooks")]
    return "\n".join([HEAD, *(f"| {row} |" for row in rows), "", ""])


def _row(path: Path) -> Iterator[str]:
    """Number, question, lab, minutes of lesson and lab, and what strikes."""
    book = json.loads(path.read_text())
    title = _title(book)
    lab = ROOT / "labs" / path.name
    exercises = _title(json.loads(lab.read_text())) if lab.exists() else ""
    name = _found(r"^# Lab \d\d · (.*)$", exercises)
    yield f"[{path.stem[:2]}](notebooks/{path.name})"
    yield _found(r"\*\*([^*]+\?)\*\*", title)
    yield f"[{name}](labs/{path.name})" if name else ""
    yield _found(r"^\*(\d+) minutes", title) + _more(exercises)
    yield book["metadata"]["atleastonce"]["fault"]


def _title(book: dict[str, Any]) -> str:
    return "".join(book["cells"][0]["source"])


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def _more(exercises: str) -> str:
    """The minutes of a lab: two core exercises and a stretch."""
    found = re.search(r"exercises, (\d+) minutes each; a stretch, (\d+)", exercises)
    return f" + {2 * int(found[1]) + int(found[2])}" if found else ""


def written() -> str:
    """The README with the table as the notebooks say it."""
    before, rest = README.split(BEGIN)
    return "".join([before, BEGIN, table(), END, rest.split(END)[1]])


def test_its_table_is_what_the_notebooks_say() -> None:
    assert written() == README, f"write it anew: python {Path(__file__).name}"


def test_each_row_of_the_table_is_whole() -> None:
    for path in course.notebooks("notebooks"):
        cells = list(_row(path))
        without_lab = path.stem.startswith("00")
        assert [bool(cell) for cell in cells] == [1, 1, not without_lab, 1, 1], path
        assert ("+" in cells[3]) is not without_lab


def test_its_timeline_is_the_first_lessons_own() -> None:
    cells = json.loads((ROOT / "notebooks/01_duplicates.ipynb").read_text())["cells"]
    struck = next(cell for cell in cells if cell["id"] == "struck")
    printed = "".join(struck["outputs"][0]["data"]["text/plain"])

    assert f"```\n{printed}\n```" in README


def test_it_names_the_lesson_that_make_start_opens() -> None:
    [url] = [o for o in jupyter.options(None) if "default_url" in o]
    assert f"8888{url.partition('=')[2]}?token=" in README


def test_its_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", README)

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_its_links_into_pages_lead_to_headings() -> None:
    headings = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", README, re.MULTILINE)
    }
    files = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("docs/*.md"), PAGE]
    link = re.compile(r"\((?:\.\./)?README\.md#([\w-]+)\)")
    assert {name for p in files for name in link.findall(p.read_text())} <= headings


def test_it_is_at_most_150_lines() -> None:
    assert len(README.splitlines()) <= 150


def test_the_changelog_knows_this_version() -> None:
    version = _found(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text())
    assert version
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text()


if __name__ == "__main__":
    PAGE.write_text(written())
