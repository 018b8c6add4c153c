"""Where labs are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce import scratch

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_memory_is_taken_where_it_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMPDIR")
    monkeypatch.setattr(scratch, "MEMORY", tmp_path)
    monkeypatch.setattr(scratch, "ROOM", 1)
    assert scratch.scratch() == tmp_path


def test_the_systems_folder_is_taken_where_memory_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMPDIR")
    monkeypatch.setattr(scratch, "MEMORY", tmp_path)
    monkeypatch.setattr(scratch, "ROOM", 1 << 80)
    assert scratch.scratch() != tmp_path
    monkeypatch.setattr(scratch, "MEMORY", tmp_path / "missing")
    assert scratch.scratch() != tmp_path / "missing"


def test_tmpdir_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "ROOM", 1)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert scratch.scratch() == tmp_path
