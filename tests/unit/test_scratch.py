"""Where labs are made."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from atleastonce import scratch
from atleastonce.cli import services
from atleastonce.keeper import STEM
from atleastonce.services import labs
from atleastonce.services.folder import OWNER_FILE, identity

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


def signed(folder: Path, owner: int, since: list[str]) -> Path:
    """A lab of ``up``'s."""
    folder.mkdir()
    told = {"stem": STEM, "pid": owner, "identity": since}
    (folder / OWNER_FILE).write_text(json.dumps(told))
    return folder


def test_a_lab_is_found_wherever_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memory that has filled up, in a folder of ``TMPDIR``: it was not listed."""
    memory, there = tmp_path / "memory", tmp_path / "there"
    for place in (memory, there):
        place.mkdir()
    monkeypatch.setattr(scratch, "MEMORY", memory)
    monkeypatch.setattr(scratch, "ROOM", 1 << 80)
    monkeypatch.setenv("TMPDIR", str(there))
    monkeypatch.setattr("tempfile.tempdir", None)
    dead = signed(memory / "atleastonce-1", 2**22 + 1, [identity()[0], "1"])
    alive = signed(there / "atleastonce-2", os.getpid(), identity())
    found = {lab.folder: lab.alive for lab in labs.running()}
    assert (found[dead], found[alive]) == (False, True)


def test_down_finds_what_up_started_in_memory_that_has_filled_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(scratch, "MEMORY", memory)
    monkeypatch.setattr(scratch, "USUAL", ())
    monkeypatch.setattr(scratch, "ROOM", 1 << 80)
    monkeypatch.delenv("TMPDIR")
    lab = signed(memory / "atleastonce-1", os.getpid(), identity())
    assert [found.folder for found in services._ours()] == [lab]
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert services._ours() == []
