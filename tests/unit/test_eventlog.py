"""The file of events, on a disk that gets full."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from atleastonce.eventlog import EventLog

if TYPE_CHECKING:
    from pathlib import Path

LINE = b'{"lane": "w1", "kind": "note", "text": "lost", "data": {"a": [1.5, true]}, "t'


def torn(log: EventLog, part: bytes) -> list[str]:
    """What is read when *part* was left between two events."""
    log.write("w1", "note", 'first {"lane": 1}')
    with log.path.open("ab") as file:
        file.write(part)
    log.write("w1", "note", "last")
    return [event.text for event in log.read()[0]]


@pytest.mark.parametrize("size", range(1, len(LINE)))
@pytest.mark.parametrize("end", [b"", b"\n"], ids=["open", "ended"])
def test_a_torn_line_takes_no_other_with_it(
    tmp_path: Path, size: int, end: bytes
) -> None:
    """It made an error of every timeline from then on."""
    found = torn(EventLog(tmp_path / "events"), LINE[:size] + end)
    assert found == ['first {"lane": 1}', "last"]


def test_a_line_that_is_none_of_ours_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(json.JSONDecodeError):
        torn(EventLog(tmp_path / "events"), b"Segmentation fault\n")


def test_a_line_that_was_cut_short_is_ended_and_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, write, room = EventLog(tmp_path / "events"), os.write, iter([7])
    monkeypatch.setattr(os, "write", lambda fd, b: write(fd, b[: next(room, None)]))
    log.write("w1", "note", "whole")
    assert log.path.read_bytes().startswith(b'{"lane"\n{"lane": ')
    assert [event.text for event in log.read()[0]] == ["whole"]
