"""One run of a sweep, without a lab: how it ends when something goes wrong."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from atleastonce.explore.sweep_call import Call
from atleastonce.explore.sweep_run import Bed
from atleastonce.explore.sweep_targets import Endless
from atleastonce.explore.victims import Victims
from atleastonce.waiting import pause

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


def test_a_call_that_leaves_something_each_time_is_endless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It returned well, and at once, so neither its failures nor its time counted."""
    begun: list[int] = []

    def fork() -> None:
        begun.append(1)
        pause(0.05)
        assert len(begun) < 100

    fleet = SimpleNamespace(quiet=lambda *_, **__: None)
    victims = cast("Any", SimpleNamespace(go_on=lambda: None, fleet=fleet))
    call = Call(cast("Any", None), victims, tmp_path, left=lambda: 1)
    monkeypatch.setattr(call, "_fork", fork)
    monkeypatch.setattr(call, "_ended", lambda _: 0)
    with pytest.raises(Endless, match=r"for 0\.3 s"):
        call.settle(9, 0.3)


def test_a_victim_that_ends_as_it_is_stopped_disturbs_nothing() -> None:
    with subprocess.Popen(["/bin/true"]) as ended:
        pass
    fleet = SimpleNamespace(workers=[SimpleNamespace(alive=True, pid=ended.pid)])
    victims = Victims(cast("Any", fleet), "child", (), {})
    victims.hold()
    victims.go_on()
