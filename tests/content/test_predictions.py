"""The questions of lessons: one form, which a reader without a kernel can use too.

A question ends a Markdown cell, above the run that decides. Its choices are a list, and
the answer is folded: nothing is graded, and a keyboard opens it (Tab, Enter).
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from pathlib import Path

LESSONS = course.notebooks("notebooks")

QUESTION = re.compile(
    r"^\*\*Predict\*\*: (?P<question>[^\n]+\?)\n\n"
    r"(?P<choices>(?:- [a-d]\) [^\n]+\n){3,4})\n"
    r"<details><summary>The answer</summary>\n\n"
    r"\*\*(?P<right>[a-d])\.\*\* (?P<why>[^\n]+)\n</details>",
    re.MULTILINE,
)
#: A letter in bold, which is an answer.
LETTER = re.compile(r"\*\*([a-d])\.?\*\*")
#: What points the answer to the run that decides.
RUN = re.compile(r"\bbelow\b", re.IGNORECASE)
#: Sentences end so. An abbreviation would need another rule; there is none.
SENTENCE = re.compile(r"[.?!](?= [A-Z0-9`\"]|$)")


def prose(path: Path) -> list[tuple[str, str]]:
    """The id and text of each Markdown cell."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [
        (c["id"], "".join(c["source"])) for c in cells if c["cell_type"] == "markdown"
    ]


def questions(path: Path) -> list[re.Match[str]]:
    return [m for _, text in prose(path) for m in QUESTION.finditer(text)]


def name(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", LESSONS, ids=name)
class TestALesson:
    def test_it_asks(self, path: Path) -> None:
        assert 1 <= len(questions(path)) <= 5

    def test_each_question_and_fold_has_the_form(self, path: Path) -> None:
        for cell, text in prose(path):
            formed = len(QUESTION.findall(text))
            plain = text.replace("## Predict before you run", "")
            assert len(re.findall("predict", plain, re.IGNORECASE)) == formed, cell
            assert text.count("<details") == formed <= 1, cell

    def test_a_question_stands_above_the_run_that_decides(self, path: Path) -> None:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        for cell, following in itertools.pairwise(cells):
            text = "".join(cell["source"])
            if found := QUESTION.search(text):
                assert following["cell_type"] == "code", cell["id"]
                assert "##" not in text[found.end() :], cell["id"]

    def test_its_choices_are_lettered_and_differ(self, path: Path) -> None:
        for found in questions(path):
            lines = found["choices"].splitlines()
            letters = [line[2] for line in lines]
            assert letters == list("abcd"[: len(lines)]), found["question"]
            assert len({line[5:] for line in lines}) == len(lines), found["question"]

    def test_its_answer_is_one_choice_and_why(self, path: Path) -> None:
        for found in questions(path):
            assert f"- {found['right']}) " in found["choices"], found["question"]
            assert len(SENTENCE.findall(found["why"])) <= 3, found["why"]
            assert RUN.search(found["why"]), found["why"]

    def test_nothing_outside_of_an_answer_names_a_choice(self, path: Path) -> None:
        """So no answer is given away, and none is contradicted."""
        for cell, text in prose(path):
            assert len(LETTER.findall(text)) == len(QUESTION.findall(text)), cell

    def test_the_right_choice_moves(self, path: Path) -> None:
        right = [found["right"] for found in questions(path)]
        assert len(right) == 1 or len(set(right)) > 1


def test_no_letter_is_a_good_guess() -> None:
    right = Counter(m["right"] for path in LESSONS for m in questions(path))
    assert set(right) == set("abcd")
    assert max(right.values()) <= 0.4 * right.total()
