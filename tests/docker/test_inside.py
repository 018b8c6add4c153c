"""The container ``course``: no way to the engine, and lessons and labs in it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from atleastonce import course

if TYPE_CHECKING:
    from conftest import Stack

#: What CI runs in `course`: every broker and fault of the others is in them.
FIRST = ("02", "03")
RUNS = [
    pytest.param(
        path.stem[:2],
        {"notebooks": "lesson", "solutions": "solution"}[path.parent.name],
        marks=[] if path.stem.startswith(FIRST) else [pytest.mark.slow],
    )
    for path in course.notebooks("notebooks") + course.notebooks("solutions")
]
#: Seconds for a cell, which takes at most 20; all cores may be busy.
PATIENCE = "300"
#: What a lesson would need here, in one cell each.
LACKING = {
    "02": "needs redis.stop, its supervisor",
    "07": "needs redis.freeze, no command",
}
BUSY = ("-e", "ATLEASTONCE_PATIENCE=10")
FAULTS = """
import json
from atleastonce.services.compose import Compose
from atleastonce.settings import Settings

AOF = {"appendonly": "yes", "appendfsync": "always"}
with Compose("inside", settings=Settings.from_env()) as s:
    found = {}
    s.redis.client().rpush("jobs", *range(100))
    s.redis.crash()
    found["redis crashed"] = s.redis.client().llen("jobs")
    with s.redis.configured(**AOF):
        s.redis.client().rpush("jobs", *range(100))
        s.redis.crash()
        found["redis crashed, AOF"] = s.redis.client().llen("jobs")
    s.redis.restart()
    s.postgres.rows("CREATE TABLE kept (n int)")
    s.postgres.rows("INSERT INTO kept VALUES (1)")
    for end in (s.postgres.crash, s.postgres.restart, s.postgres.cut):
        end()
        found[f"postgres {end.__name__}"] = s.postgres.rows("SELECT n FROM kept")[0][0]
    for end in (s.rabbitmq.crash, s.rabbitmq.restart, s.rabbitmq.cut):
        end()
        found[f"rabbitmq {end.__name__}"] = s.rabbitmq.ping()
    verbs = ("crash", "freeze", "cut", "restart", "stop")
    for handle in (s.redis, s.postgres, s.rabbitmq, s.mail, s.gateway):
        lacking = {v: handle.why_not(v) for v in verbs if not handle.supports(v)}
        found[f"{handle.name} can't"] = lacking
print(json.dumps(found))
"""


@pytest.mark.xdist_group("services")
def test_services_crash_by_their_own_protocol(stack: Stack) -> None:
    found = json.loads(stack.inside(FAULTS).splitlines()[-1])
    assert found["redis crashed"] == 0
    assert found["redis crashed, AOF"] == 100
    assert {found[f"postgres {end}"] for end in ("crash", "restart", "cut")} == {1}
    assert all(found[f"rabbitmq {end}"] for end in ("crash", "restart", "cut"))
    assert set(found["redis can't"]) == {"freeze", "stop"}
    assert set(found["gateway can't"]) == {"crash", "freeze", "restart", "stop"}
    assert "Docker can't be reached" in found["mail can't"]["crash"]


@pytest.mark.xdist_group("services")
def test_it_has_no_way_to_the_engine(stack: Stack) -> None:
    mounts = stack.inspect("course")["Mounts"]
    assert [m["Source"] for m in mounts if "docker.sock" in m["Source"]] == []


@pytest.mark.xdist_group("lessons")
@pytest.mark.parametrize(("stem", "kind"), RUNS)
def test_lessons_and_labs_run_in_it(stack: Stack, stem: str, kind: str) -> None:
    more = ["--solution"] if kind == "solution" else []
    run = ("atleastonce", "run", stem, "--timeout", PATIENCE, *more)
    printed = stack.compose("exec", "-T", *BUSY, "course", *run, timeout=900)
    # It says so at the end, when every cell ran; each check of a solution held.
    assert " cells in " in printed
    # RabbitMQ is there. What can't be done here is one cell, and it says why.
    skipped = [line for line in printed.splitlines() if "skipped" in line]
    assert len(skipped) == (kind == "lesson" and stem in LACKING), printed
    assert all(LACKING[stem] in line for line in skipped)


@pytest.mark.xdist_group("services")
@pytest.mark.slow
@pytest.mark.parametrize(("stem", "kind"), RUNS)
def test_on_the_host_nothing_of_them_is_skipped(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, stem: str, kind: str
) -> None:
    stack.settings(monkeypatch)
    monkeypatch.setenv("ATLEASTONCE_PATIENCE", "10")
    more = ["--solution"] if kind == "solution" else []
    run = ("atleastonce", "run", stem, "--timeout", PATIENCE, *more)
    printed = stack.run(sys.executable, "-m", *run, timeout=900)
    assert " cells in " in printed
    assert "skipped" not in printed
