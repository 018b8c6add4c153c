"""One run of a sweep, without a lab: how it ends when something goes wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from atleastonce.explore.sweep_run import Bed

if TYPE_CHECKING:
    from pathlib import Path


def test_an_interrupted_run_ends_with_the_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An UnboundLocalError took its place."""

    def settle(*_: object) -> None:
        raise KeyboardInterrupt

    forgotten: list[int] = []
    target = SimpleNamespace(
        begin=lambda _: "m1", settle=settle, forget=lambda: forgotten.append(1)
    )
    events = SimpleNamespace(read=lambda at: ([], at), path=tmp_path / "events")
    bed = Bed.__new__(Bed)
    monkeypatch.setattr(bed, "restore", lambda: None)
    parts = {
        "fresh": False,
        "_plans": tmp_path,
        "_events": events,
        "_outside": SimpleNamespace(files=(), most=1, timeout=1.0),
        "_target": target,
    }
    for name, value in parts.items():
        monkeypatch.setattr(bed, name, value, raising=False)
    with pytest.raises(KeyboardInterrupt):
        bed.run()
    assert (forgotten, list(tmp_path.iterdir())) == ([1], [])
