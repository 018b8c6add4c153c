"""The README shows what the lessons print, and links to what is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_its_timeline_is_the_first_lessons_own() -> None:
    cells = json.loads((ROOT / "notebooks/01_duplicates.ipynb").read_text())["cells"]
    struck = next(cell for cell in cells if cell["id"] == "struck")
    printed = "".join(struck["outputs"][0]["data"]["text/plain"])

    assert f"```\n{printed}\n```" in README


def test_its_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", README)

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_it_is_at_most_150_lines() -> None:
    assert len(README.splitlines()) <= 150
