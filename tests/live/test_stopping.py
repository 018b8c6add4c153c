"""How a worker is stopped: after a grace period, below a shell, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atleastonce.workers.worker import Worker
    from tests.live.conftest import Bench

LATE = {"task_acks_late": True, "task_reject_on_worker_lost": True}
SHELL = '#!/bin/sh\n"$@"\necho "the worker has ended"\n'
TRAP = """\
#!/bin/sh
trap 'kill -QUIT $worker' TERM
"$@" &
worker=$!
wait $worker
wait $worker
"""
EXEC = '#!/bin/sh\nexec "$@"\n'
REMAP = '#!/bin/sh\nexport REMAP_SIGTERM=SIGQUIT\nexec "$@"\n'


@pytest.fixture
def hanging(bench: Bench) -> Iterator[Bench]:
    """The gateway charges and does not answer, until the test is over."""
    bench.services.gateway.knobs(hang=True)
    yield bench
    bench.services.gateway.knobs()


def busy(bench: Bench, **how: Any) -> Worker:  # noqa: ANN401 - of start
    """A worker whose only task hangs."""
    [worker] = bench.start(**LATE, **how)
    bench.publish("charge_order", bench.order())
    requests = bench.services.gateway.requests
    wait_until(requests, timeout=10.0, what="the task to hang")
    return worker


def left(bench: Bench) -> tuple[int, int]:
    """How many messages wait, and how many are unacked."""
    backlog = bench.fleet.broker.backlog()
    return sum(backlog.waiting.values()), backlog.unacked


def faults(bench: Bench) -> list[str]:
    return [
        event.text
        for event in bench.events()
        if (event.lane, event.kind) == ("w1", "fault")
    ]


def test_what_outlasts_its_grace_is_killed_and_keeps_its_message(
    hanging: Bench,
) -> None:
    worker = busy(hanging)
    worker.stop(grace=0.3)
    assert (worker.ending, left(hanging)) == ("SIGKILL", (0, 1))
    assert faults(hanging) == ["SIGTERM", "killed"]
    assert "Warm shutdown" in worker.log()


def test_a_storm_of_messages_is_ended_between_two_of_them(bench: Bench) -> None:
    """Struck at any moment, 1 of 8 was run and requeued, and the worker stayed 30 s."""
    for _ in range(5):
        [worker] = bench.start()
        bench.publish("storm")
        wait_until(
            lambda: len(bench.events()) > 60,
            timeout=10.0,
            what="the storm",
        )
        worker.stop(grace=5.0)
        assert (worker.ending, left(bench)) == ("exit 0", (1, 0))
        bench.clear()


def test_an_idle_worker_ends_in_its_grace(bench: Bench) -> None:
    [worker] = bench.start()
    worker.stop(grace=40.0)
    assert (worker.ending, faults(bench)) == ("exit 0", ["SIGTERM"])


def test_sigterm_to_all_kills_the_pool(hanging: Bench) -> None:
    worker = busy(hanging)
    worker.stop(grace=40.0, everyone=True)
    assert (worker.ending, left(hanging)) == ("exit 0", (1, 0))
    assert faults(hanging) == ["SIGTERM to all its processes"]


def test_a_shell_as_process_1_hears_nothing(hanging: Bench) -> None:
    worker = busy(hanging, entrypoint=SHELL)
    worker.stop(grace=0.3)
    assert (worker.ending, left(hanging)) == ("SIGKILL", (0, 1))
    assert "shutdown" not in worker.log(99)
    assert worker.children() == []


@pytest.mark.parametrize("script", [TRAP, REMAP], ids=["trap", "remap"])
@pytest.mark.parametrize("everyone", [False, True], ids=["first", "all"])
def test_a_cold_shutdown_gives_the_message_back(
    hanging: Bench, script: str, *, everyone: bool
) -> None:
    worker = busy(hanging, entrypoint=script)
    worker.stop(grace=40.0, everyone=everyone)
    assert (worker.exit_status, left(hanging)) != (-9, (0, 1))
    assert left(hanging) == (1, 0)


def test_exec_makes_the_worker_process_1(bench: Bench) -> None:
    [worker] = bench.start(entrypoint=EXEC)
    bench.publish("summed")
    bench.fleet.quiet(20.0)
    assert len(worker.children()) == 1
    worker.stop(grace=40.0)
    assert worker.ending == "exit 0"


def test_a_setting_may_name_another_broker(bench: Bench) -> None:
    [worker] = bench.start(broker_url="memory://")
    message = bench.publish("summed")
    assert "memory://" in worker.log(99)
    assert (left(bench), bench.state(message)) == ((1, 0), "PENDING")
