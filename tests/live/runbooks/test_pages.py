"""What holds for every runbook, without a lab; and the stand-in for ``redis-cli``."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from atleastonce.lab import Lab
    from tests.live.runbooks.conftest import Operator, Page

ROOT = Path(__file__).parents[3]
INDEX = (ROOT / "docs" / "runbooks" / "README.md").read_text()
PARTS = ["Symptom", "Confirm", "Stop the bleeding", "Mend", "Prevent"]
#: In the order in which a page may use them; each leaves something for the next.
SPOKEN = [
    "set mine 1",
    "get mine",
    "get nothing",
    "ttl mine",
    "rpush list a b",
    "lrange list 0 -1",
    "lrange none 0 -1",
    "lmove list other right left",
    "hset hash f 1",
    "hvals hash",
    "scan 0 count 1000 type list",
    "--scan --pattern mine",
    "config get appendonly",
    "renamenx none other",
]


def test_there_is_one_for_each_lesson(pages: list[Page]) -> None:
    lessons = sorted(path.stem[:2] for path in (ROOT / "notebooks").glob("*.ipynb"))
    found = [page.path.stem[:2] for page in pages]
    assert found == [lesson for lesson in lessons if lesson != "00"]


def test_each_has_its_parts_and_fits_a_screen_or_two(pages: list[Page]) -> None:
    for page in pages:
        assert re.findall(r"^## (.+)$", page.text, re.MULTILINE) == PARTS
        assert len(page.text.splitlines()) <= 85, page.path.name


def test_each_command_says_what_it_prints_or_why_no_test_runs_it(
    pages: list[Page],
) -> None:
    for block in (block for page in pages for block in page.blocks):
        states = {"trouble", "healthy"} if "trouble" in block.told else {"both"}
        confirms = block.section == "Confirm"
        assert block.section in PARTS[1:4], block
        if block.runs:
            acts = len(block.told) == 1 and set(block.told) <= {"prints", "until"}
            assert set(block.told) == states if confirms else acts, block


def test_no_command_hides_in_another_kind_of_block(pages: list[Page]) -> None:
    for page in pages:
        fences = re.findall(r"^```(\w*)$", page.text, re.MULTILINE)
        assert set(fences) <= {"sh", "sql", ""}, page.path.name
        assert fences.count("") == len(page.blocks), page.path.name


def test_each_remedy_names_a_section_of_the_lesson_that_proves_it(
    pages: list[Page],
) -> None:
    for page in pages:
        named = re.findall(r'lesson (\d\d), "([^"]+)"', page.text)
        assert len(named) >= 4, page.path.name
        for number, title in named:
            assert any(title in found for found in _headings(number)), (number, title)


def _headings(number: str) -> list[str]:
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    cells = json.loads(path.read_text())["cells"]
    text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] != "code")
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


def test_placeholders_are_in_the_index_and_links_lead_somewhere(
    pages: list[Page],
) -> None:
    for page in pages:
        assert f"({page.path.name})" in INDEX
        blocks = [block.text for block in page.blocks if block.runs]
        used = set(re.findall(r"\$([A-Z_]+)", "\n".join(blocks)))
        assert [name for name in used if name not in INDEX] == []
        links = re.findall(r"\]\((?!http)([^)#]+)", page.text)
        assert [link for link in links if not (page.path.parent / link).exists()] == []


def test_the_stand_in_prints_what_redis_cli_prints(
    lab: Lab, operator: Operator, tmp_path: Path
) -> None:
    real = shutil.which("redis-cli")
    if not real:
        pytest.skip("no redis-cli here: a stand-in runs the pages' redis-cli lines")
    script = Path(__file__).with_name("redis_cli.py")
    told = []
    for start in ([real], ["python", "-IS", str(script)]):
        lab.reset()
        url = operator.env["REDIS_URL"]
        asked = [[*start, "-u", url, *words.split()] for words in SPOKEN]
        told.append([_printed(words, operator.env, tmp_path) for words in asked])
    assert told[0] == told[1]


def _printed(words: list[str], env: dict[str, str], folder: Path) -> list[str]:
    ran = subprocess.run(
        words, capture_output=True, text=True, env=env, cwd=folder, check=False
    )
    return [line for line in ran.stdout.splitlines() if line]
