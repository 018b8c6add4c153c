"""What the verb ``sweep`` does with what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from atleastonce.cli import sweep
from atleastonce.errors import ProjectError
from atleastonce.own.calls import Found

if TYPE_CHECKING:
    from pathlib import Path

FOUND = Found("pass", "the table ✓", "<table>✓</table>", {}, b"", ())


def test_the_result_is_printed_though_the_page_can_not_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FileNotFoundError):
        sweep._show(FOUND, "Sweep", tmp_path / "gone" / "page.html", json=False)
    assert capsys.readouterr().out == "the table ✓\n"


def test_a_page_is_utf_8_whatever_the_locale_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("io.text_encoding", lambda given, *_: given or "ascii")
    sweep._show(FOUND, "Sweep", tmp_path / "page.html", json=False)
    assert "<table>✓</table>" in (tmp_path / "page.html").read_text("utf-8")


def test_where_a_page_can_not_be_written_is_said_before_the_sweep(
    tmp_path: Path,
) -> None:
    sweep._check(None)
    sweep._check(tmp_path / "page.html")
    with pytest.raises(ProjectError, match=r"not there\.\nTry: mkdir -p "):
        sweep._check(tmp_path / "gone" / "page.html")
    with pytest.raises(ProjectError, match=r"written there\.\nTry: --html sweep.html"):
        sweep._check(tmp_path)
