"""Workers start warm or cold, do the same, tell it, and leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from atleastonce import faults
from atleastonce.errors import WaitTimeout, WorkerError
from atleastonce.eventlog import EventLog
from atleastonce.services import reaper as proc
from atleastonce.waiting import wait_until
from atleastonce.workers import link
from atleastonce.workers.fleet import Fleet
from atleastonce.workers.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.faults import Fault
    from atleastonce.services.embedded import Embedded
    from tests.live.conftest import Bench, Owner

LATE = """\
producer m1 publish charge_order({order})
w1 m1 deliver
w1 m1 #1 start
* gateway m1 #1 effect charge 30.00 ann
w1 m1 #1 finish SUCCESS
w1 m1 #1 ack"""


def test_a_worker_tells_what_it_does(bench: Bench) -> None:
    bench.start()
    order = bench.order()
    bench.publish("charge_order", order)
    bench.fleet.quiet()
    assert bench.story() == LATE.format(order=order)


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
def test_a_worker_that_gives_up_shows_its_exit_status(
    bench: Bench, *, cold: bool
) -> None:
    [worker] = bench.start(cold=cold)
    bench.services.redis.client(0).lpush("celery", "no message")
    assert worker.wait_exit() == 1
    assert worker.ending == "exit 1"


def test_a_worker_that_is_ready_listens_to_broadcasts(bench: Bench) -> None:
    client = bench.services.redis.client(0)
    for _ in range(5):
        bench.clear()
        wait_until(lambda: not client.pubsub_numpat(), timeout=5.0, what="no listener")
        [worker] = bench.start()
        worker.freeze()
        wait_until(client.pubsub_numpat, timeout=2.0, what="a frozen worker to listen")


def test_a_publish_tells_for_how_long_it_is_put_off(bench: Bench) -> None:
    early = bench.module.module.early
    early.apply_async([1], countdown=3600)
    early.apply_async([2])
    first, second = [e.data for e in bench.events() if e.kind == "publish"]
    assert first["countdown"] == pytest.approx(3600, abs=5)
    assert second == {}


#: What both kinds of worker are held to: a task, and what strikes it.
STRIKES = [
    ("charge_order", None),
    ("early", None),
    ("charge_order", faults.kill(after="charge")),
    ("charge_order", faults.kill(before="order.save()")),
    ("kept", faults.kill(after="charge")),
    ("early", faults.kill(after="charge")),
    ("charge_order", faults.kill(after="stored")),
    ("charge_order", faults.lose_reply("charge")),
    ("pay", faults.kill(before="commit")),
]


@pytest.mark.parametrize(
    ("task", "fault"), STRIKES, ids=[f"{t}, {f and f.text}" for t, f in STRIKES]
)
def test_warm_and_cold_workers_behave_alike(
    bench: Bench, task: str, fault: Fault | None
) -> None:
    order = bench.order()
    told = []
    for cold in (False, True):
        bench.clear()
        bench.start(cold=cold)
        with bench.armed(*[fault] if fault else []) as armed:
            message = bench.publish(task, order)
        bench.fleet.quiet(30.0)
        armed.require()
        traces = [points(path) for path in sorted(armed.folder.glob("trace.*"))]
        struck = [strike["point"] for strike in armed.struck]
        state = bench.state(message)
        told.append((bench.story(), traces, struck, bench.charges, state))
    assert told[0] == told[1]


def points(trace: Path) -> list[object]:
    return [json.loads(line) for line in trace.read_text().splitlines()]


@pytest.mark.parametrize("pool", ["prefork", "solo", "threads", "gevent"])
def test_every_pool_tells_the_same_story(bench: Bench, pool: str) -> None:
    if pool == "gevent":
        pytest.importorskip("gevent")
    bench.start(pool=pool)
    order = bench.order()
    with bench.armed() as armed:
        bench.publish("charge_order", order)
    bench.fleet.quiet(30.0)
    assert bench.story() == LATE.format(order=order)
    (trace,) = armed.folder.glob("trace.*")
    assert len(points(trace)) == 15


def test_settings_of_celery_reach_the_worker(bench: Bench) -> None:
    bench.start(task_acks_late=True, task_reject_on_worker_lost=True)
    bench.strike(faults.kill(after="charge"), "early", bench.order())
    assert bench.charges == 2


def test_a_killed_child_is_noticed_at_once(bench: Bench) -> None:
    """Celery alone would notice half of them 3.4 to 5 s late."""
    bench.start()
    took = []
    for _ in range(10):
        began = time.monotonic()
        bench.strike(faults.kill(before="charge"), "charge_order", bench.order())
        took.append(time.monotonic() - began)
    assert bench.charges == 10
    # A loaded machine may be slow too, but not half of the time.
    assert sum(seconds > 3.0 for seconds in took) <= 2, took


def test_a_killed_worker_takes_its_pool_with_it(bench: Bench) -> None:
    (worker,) = bench.start(concurrency=2)
    children = worker.children()
    assert len(children) == 2
    worker.kill()
    assert worker.exit_status == -signal.SIGKILL
    assert not any(map(proc.read_row, children))
    assert [(e.kind, e.text) for e in bench.events()] == [
        ("ready", ""),
        ("fault", "killed"),
        ("exit", "SIGKILL"),
    ]


def test_a_killed_child_is_replaced(bench: Bench) -> None:
    (worker,) = bench.start()
    (old,) = worker.children()
    worker.kill_child()
    wait_until(
        lambda: worker.children() not in ([old], []), timeout=10.0, what="a new child"
    )
    assert worker.alive


def test_a_pool_without_processes_has_no_child_to_kill(bench: Bench) -> None:
    (worker,) = bench.start(pool="solo")
    with pytest.raises(WorkerError, match="no pool process"):
        worker.kill_child()


@pytest.mark.parametrize(
    ("verb", "status"), [("term", 0), ("quit", 0), ("interrupt", 1)]
)
@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
def test_a_worker_asked_to_end_ends(
    bench: Bench, verb: str, status: int, *, cold: bool
) -> None:
    (worker,) = bench.start(cold=cold)
    getattr(worker, verb)()
    assert worker.wait_exit(15.0) == status
    assert not worker.alive


def test_a_frozen_worker_is_not_quiet_until_it_goes_on(bench: Bench) -> None:
    (worker,) = bench.start()
    worker.freeze()
    bench.publish("charge_order", bench.order())
    with pytest.raises(WaitTimeout, match="not quiet"):
        bench.fleet.quiet(0.3)
    worker.thaw()
    bench.fleet.quiet()
    assert bench.charges == 1


def test_names_are_given_once(bench: Bench) -> None:
    (first,) = bench.start()
    first.kill()
    assert [w.name for w in bench.start(2)] == ["w2", "w3"]


def test_workers_share_no_socket_with_their_fork_server(bench: Bench) -> None:
    (worker,) = bench.start()
    mine = sockets(bench.fleet.pid)
    for pid in (worker.pid, *worker.children()):
        assert not mine & sockets(pid)


def sockets(pid: int) -> set[str]:
    links = [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
    return {link for link in links if link.startswith("socket:")}


def test_a_worker_that_cannot_import_its_tasks_says_why(bench: Bench) -> None:
    (bench.fleet.tasks / "broken.py").write_text("import nowhere_to_be_found\n")
    for cold in (False, True):
        with pytest.raises(WorkerError) as caught:
            bench.fleet.start(include=["broken"], cold=cold)
        assert "ended before it was ready" in caught.value.what
        assert "No module named 'nowhere_to_be_found'" in caught.value.seen


def test_a_project_that_cannot_be_set_up_says_why(embedded: Embedded) -> None:
    fleet = Fleet(
        embedded.addresses,
        embedded.lab_file,
        embedded.reaper,
        embedded.folder,
        project=Project("nowhere:app", "nowhere_to_be_found"),
    )
    with pytest.raises(WorkerError, match="nowhere_to_be_found"):
        fleet.start()
    fleet.close()


def test_a_killed_fork_server_ends_its_workers_and_is_reported(
    embedded: Embedded,
) -> None:
    fleet = Fleet(
        embedded.addresses, embedded.lab_file, embedded.reaper, embedded.folder
    )
    (worker,) = fleet.start()
    os.kill(fleet.pid, signal.SIGKILL)
    worker.wait_exit(5.0)
    wait_until(lambda: not proc.read_row(worker.pid), timeout=5.0, what="its end")
    with pytest.raises(WorkerError, match="fork server has ended"):
        fleet.start()
    fleet.close()
    fleet.close()


def test_workers_end_with_a_killed_owner(owner: Callable[..., Owner]) -> None:
    """That nothing is left after 2 s is looked at after every test."""
    start = (
        "from atleastonce.workers.fleet import Fleet; "
        "fleet = Fleet(e.addresses, e.lab_file, e.reaper, e.folder); "
        "fleet.start(2)"
    )
    opened = owner(start).opened()
    events = EventLog(Path(opened.folder, "events.jsonl"))
    wait_until(
        lambda: [e.kind for e in events.read()[0]] == ["ready", "ready"],
        timeout=30.0,
        what="two workers",
    )
    opened.signal(signal.SIGKILL)
    wait_until(
        lambda: not Path(opened.folder).exists(), timeout=10.0, what="the end of all"
    )


def test_a_message_that_nobody_takes_is_named(bench: Bench) -> None:
    bench.publish("charge_order", bench.order())
    with pytest.raises(WaitTimeout, match="celery"):
        bench.fleet.quiet(0.1)


def test_the_link_fits_into_a_folder_of_any_length(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    with link.listen(folder / "s") as listener, link.connect(folder / "s") as ours:
        theirs, _ = listener.accept()
        with theirs:
            link.send(ours, hello=1)
            assert link.receive(theirs) == {"hello": 1}
