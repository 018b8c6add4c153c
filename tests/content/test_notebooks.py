"""The form of committed notebooks: what a reader, nbval and a diff rely on."""

from __future__ import annotations

import ast
import itertools
import json
import re
from html import escape
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from atleastonce import course, needs

if TYPE_CHECKING:
    from pathlib import Path

Cell = dict[str, Any]
Book = dict[str, Any]

LESSONS = course.notebooks("notebooks")
SOLUTIONS = course.notebooks("solutions")
LABS = course.notebooks("labs")
ALL = LESSONS + SOLUTIONS + LABS
#: The lesson that has no lab, and its words: it is read in a quarter of an hour.
FIRST, QUARTER = "00_start_here", 1800

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TAGS = {"nbval-ignore-output", "nbval-check-output", "raises-exception", "ungraded"}
#: Text that differs on the next run or machine: addresses, uuids, paths.
ACCIDENTS = re.compile(
    r"\b0x[0-9a-f]{6,}\b|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-"
    r"|/tmp/|/home/|/root/|/Users/|site-packages"
)
#: A picture at 144 dpi; base64. Larger ones make clones and diffs slow.
PICTURE = 200_000


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def read(path: Path) -> Book:
    book: Book = json.loads(path.read_text("utf-8"))
    return book


def code(book: Book) -> list[Cell]:
    return [c for c in book["cells"] if c["cell_type"] == "code"]


def lines(cell: Cell) -> list[str]:
    """The lines that count: neither blank nor a cell magic."""
    text = "".join(cell["source"]).splitlines()
    return [t for t in text if t.strip() and not t.startswith("%%")]


def is_one_def(cell: Cell) -> bool:
    try:
        body = ast.parse("\n".join(lines(cell))).body
    except SyntaxError:
        return False
    return len([n for n in body if isinstance(n, ast.FunctionDef)]) == 1


def is_check(cell: Cell) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("grade"))


def tags(cell: Cell) -> set[str]:
    return set(cell["metadata"].get("tags", []))


def texts(cell: Cell) -> str:
    """All that a code cell printed, as text."""
    parts = []
    for output in cell["outputs"]:
        parts += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
    return "\n".join("".join(part) for part in parts)


@pytest.mark.parametrize("path", ALL, ids=name)
class TestEveryNotebook:
    def test_its_cells_have_slugs_for_ids(self, path: Path) -> None:
        book = read(path)
        ids = [c.get("id", "") for c in book["cells"]]
        assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
        assert [i for i in ids if not SLUG.fullmatch(i)] == []
        assert len(set(ids)) == len(ids)

    def test_it_begins_with_its_title(self, path: Path) -> None:
        first = read(path)["cells"][0]
        assert first["cell_type"] == "markdown"
        assert "".join(first["source"]).startswith("# ")

    def test_its_tags_and_needs_are_known(self, path: Path) -> None:
        for cell in code(read(path)):
            wanted = cell["metadata"].get("atleastonce", {}).get("needs", [])
            assert tags(cell) <= TAGS, cell["id"]
            assert all(map(needs.is_known, wanted)), cell["id"]

    def test_it_holds_no_trace_of_the_run(self, path: Path) -> None:
        book = read(path)
        assert set(book["metadata"]) <= {"kernelspec", "language_info", "atleastonce"}
        assert set(book["metadata"]["language_info"]) == {"name"}
        assert [c["id"] for c in book["cells"] if "execution" in c["metadata"]] == []


@pytest.mark.parametrize("path", LESSONS + SOLUTIONS, ids=name)
class TestAnExecutedNotebook:
    def test_it_was_executed_from_top_to_bottom(self, path: Path) -> None:
        cells = code(read(path))
        counts = [c["execution_count"] for c in cells]
        assert counts == list(range(1, len(cells) + 1))

    def test_it_shows_no_error(self, path: Path) -> None:
        for cell in code(read(path)):
            kinds = {o["output_type"] for o in cell["outputs"]}
            assert "error" not in kinds or "raises-exception" in tags(cell), cell["id"]

    def test_it_prints_nothing_to_stderr(self, path: Path) -> None:
        for cell in code(read(path)):
            assert "stderr" not in {o.get("name") for o in cell["outputs"]}, cell["id"]

    def test_what_it_prints_is_the_same_on_each_machine(self, path: Path) -> None:
        for cell in code(read(path)):
            if "nbval-ignore-output" not in tags(cell):
                assert not ACCIDENTS.search(texts(cell)), cell["id"]

    def test_its_pictures_are_png_of_bounded_size(self, path: Path) -> None:
        for cell in code(read(path)):
            for output in cell["outputs"]:
                data = output.get("data", {})
                images = {k for k in data if k.startswith("image/")}
                assert images <= {"image/png"}, cell["id"]
                assert len("".join(data.get("image/png", ""))) < PICTURE, cell["id"]

    def test_each_picture_says_in_words_what_it_shows(self, path: Path) -> None:
        """In the metadata, as plain text where no picture is shown, and below it."""
        for cell in code(read(path)):
            for output, following in itertools.pairwise([*cell["outputs"], {}]):
                data = output.get("data", {})
                alts = output.get("metadata", {}).get("image/png", {})
                if "image/png" in data:
                    assert len(alts.get("alt", "").split()) >= 5, cell["id"]
                    assert "".join(data["text/plain"]) == alts["alt"], cell["id"]
                    words = "".join(following["data"]["text/html"])
                    assert escape(alts["alt"]) in words, cell["id"]


@pytest.mark.parametrize("path", LESSONS, ids=name)
class TestALesson:
    def test_it_has_a_picture(self, path: Path) -> None:
        outputs = [o for cell in code(read(path)) for o in cell["outputs"]]
        assert [o for o in outputs if "image/png" in o.get("data", {})]

    def test_its_code_cells_are_short(self, path: Path) -> None:
        cells = code(read(path))
        over = {
            c["id"]: len(lines(c))
            for c in cells
            if len(lines(c)) > (20 if is_one_def(c) else 12)
        }
        assert over == {}
        assert median(len(lines(c)) for c in cells) <= 4

    def test_it_keeps_to_the_reader_s_time(self, path: Path) -> None:
        cells = read(path)["cells"]
        prose = [c["source"] for c in cells if c["cell_type"] == "markdown"]
        words = sum(len("".join(source).split()) for source in prose)
        assert len(cells) <= 70
        assert words <= (QUARTER if path.stem == FIRST else 2800)

    def test_a_measured_value_is_followed_by_its_bound(self, path: Path) -> None:
        cells = code(read(path))
        for cell, following in itertools.pairwise(cells):
            if "nbval-ignore-output" in tags(cell):
                text = "".join([*cell["source"], "\n", *following["source"]])
                assert re.search(r"^assert ", text, re.MULTILINE), cell["id"]

    def test_it_closes_its_lab(self, path: Path) -> None:
        text = "\n".join("".join(c["source"]) for c in code(read(path)))
        assert text.count("Lab(") == text.count(".close()")


def test_each_lesson_but_the_first_has_a_lab_and_its_solution() -> None:
    lessons = {path.stem for path in LESSONS}
    assert lessons - {FIRST} == {p.stem for p in LABS} == {p.stem for p in SOLUTIONS}


@pytest.mark.parametrize("path", LABS, ids=name)
class TestALab:
    def test_untouched_it_does_not_look_solved(self, path: Path) -> None:
        for cell in code(read(path)):
            assert cell["outputs"] == [], cell["id"]
            assert cell["execution_count"] is None, cell["id"]

    def test_each_check_is_a_graded_cell_with_a_reference(self, path: Path) -> None:
        checks = [
            c
            for c in code(read(path))
            if c["metadata"].get("nbgrader", {}).get("grade")
        ]
        assert checks
        for cell in checks:
            grader = cell["metadata"]["nbgrader"]
            assert grader["grade_id"] == cell["id"]
            assert (grader["schema_version"], grader["locked"]) == (3, True)
            assert grader["points"] > 0
            assert cell["metadata"]["atleastonce"]["reference"]

    def test_run_all_reaches_its_end(self, path: Path) -> None:
        for cell in code(read(path)):
            if is_check(cell):
                assert "raises-exception" in tags(cell), cell["id"]
