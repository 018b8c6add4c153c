"""Each fault strikes where it says, once; what follows is what Celery really does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psutil
import pytest

from atleastonce import faults
from atleastonce.errors import FaultError
from atleastonce.waiting import wait_until
from atleastonce.workers.redelivery import redeliver

if TYPE_CHECKING:
    from atleastonce.workers.arming import Armed
    from tests.live.conftest import Bench


def lines(armed: Armed) -> list[int]:
    return [strike["point"]["line"] for strike in armed.struck]


def unacked(bench: Bench) -> list[str]:
    return list(bench.fleet.broker.backlog().kept.values())


def finished(bench: Bench) -> list[str]:
    return [event.text for event in bench.events() if event.kind == "finish"]


def test_a_child_that_dies_after_the_charge_charges_twice(bench: Bench) -> None:
    bench.start()
    order = bench.order()
    bench.strike(faults.kill(after="charge"), "charge_order", order)
    assert bench.story() == (
        f"producer m1 publish charge_order({order})\n"
        "w1 m1 deliver\n"
        "w1 m1 #1 start\n"
        "* gateway m1 #1 effect charge 30.00 ann\n"
        "! w1 m1 #1 fault killed after charge\n"
        "w1 m1 #1 requeue\n"
        "> w1 m1 deliver redelivered\n"
        "w1 m1 #2 start\n"
        "* gateway m1 #2 effect charge 30.00 ann\n"
        "w1 m1 #2 finish SUCCESS\n"
        "w1 m1 #2 ack"
    )


def test_a_child_that_dies_before_the_charge_charges_once(bench: Bench) -> None:
    bench.start()
    armed = bench.strike(faults.kill(before="charge"), "charge_order", bench.order())
    assert lines(armed) == [13]
    assert bench.charges == 1


def test_an_early_ack_loses_the_attempt_whose_child_dies(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.kill(before="charge"), "early", bench.order())
    assert bench.charges == 0
    assert finished(bench) == ["FAILURE WorkerLostError"]


def test_a_late_ack_alone_does_not_bring_a_lost_child_back(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.kill(before="charge"), "kept", bench.order())
    assert bench.charges == 0
    assert finished(bench) == ["FAILURE WorkerLostError"]


@pytest.mark.parametrize(
    ("place", "charges"), [("returned", 2), ("stored", 1)], ids=["returned", "stored"]
)
def test_the_last_two_points_are_around_the_stored_result(
    bench: Bench, place: str, charges: int
) -> None:
    """Celery 5.7 acks the message of a lost child whose SUCCESS is stored."""
    bench.start()
    bench.strike(faults.kill(after=place), "charge_order", bench.order())
    assert bench.charges == charges


def test_a_line_is_named_by_number_or_by_its_text(bench: Bench) -> None:
    bench.start()
    for place in (14, 'order.status = "paid"'):
        fault = faults.kill(before=place)
        assert lines(bench.strike(fault, "charge_order", bench.order())) == [14]
    fault = faults.kill(after="Order.objects.get")
    assert lines(bench.strike(fault, "charge_order", bench.order())) == [13]


def test_after_the_last_line_of_a_called_function_is_a_place(bench: Bench) -> None:
    bench.start()
    armed = bench.strike(faults.kill(after=15), "early", bench.order())
    assert [strike["point"]["left"] for strike in armed.struck] == [15]


def test_a_text_that_stands_on_two_lines_is_refused(bench: Bench) -> None:
    with pytest.raises(FaultError, match="exactly one line"):
        bench.armed(faults.kill(before="order"))
    with pytest.raises(FaultError, match="nowhere"):
        bench.armed(faults.kill(before="no such text"))


def test_a_task_that_lacks_the_line_is_refused_at_the_end(bench: Bench) -> None:
    bench.start()
    fault = faults.kill(before="order.save()")
    with bench.armed(fault), pytest.raises(FaultError, match="Never struck"):  # noqa: PT012
        armed = bench.armed(fault)
        bench.publish("three_charges")
        bench.fleet.quiet()
        armed.require()


def test_a_place_in_a_loop_is_reached_as_often_as_asked(bench: Bench) -> None:
    bench.start()
    fault = faults.kill(after="charge", nth=2)
    bench.strike(fault, "three_charges")
    assert [charge["amount"] for charge in bench.services.gateway.charges()] == [
        *("1.00", "2.00"),
        *("1.00", "2.00", "3.00"),
    ]


def test_a_fault_can_wait_for_the_second_attempt(bench: Bench) -> None:
    bench.start()
    order = bench.order()
    with bench.armed(
        faults.kill(after="charge"), faults.kill(after="charge", attempt=2)
    ) as armed:
        bench.publish("charge_order", order)
    bench.fleet.quiet()
    assert [strike["attempt"] for strike in armed.struck] == [1, 2]
    assert bench.charges == 3


def test_a_fault_strikes_one_message_only(bench: Bench) -> None:
    bench.start()
    with bench.armed(faults.kill(after="charge")):
        for _ in range(3):
            bench.publish("charge_order", bench.order())
    bench.fleet.quiet()
    assert bench.charges == 4


def test_a_retry_keeps_the_plan_and_counts_as_an_attempt(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.kill(before="charge", attempt=2), "again")
    starts = [event.attempt for event in bench.events() if event.kind == "start"]
    assert starts == [1, 2, 3]
    assert bench.charges == 2


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
def test_a_killed_worker_leaves_its_message_unacked(
    bench: Bench,
    cold: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    (worker,) = bench.start(cold=cold)
    with bench.armed(faults.kill("worker", after="charge")):
        message = bench.publish("charge_order", bench.order())
    worker.wait_exit(10.0)
    bench.fleet.quiet(abandoned=True)
    assert unacked(bench) == [message]
    bench.start()
    redeliver(bench.services.addresses, message)
    bench.fleet.quiet()
    assert bench.charges == 2
    assert "broker m1 restore" in bench.story()


@pytest.mark.parametrize("task", ["early", "charge_order"])
def test_a_worker_that_dies_as_it_gets_a_message_leaves_it_unacked(
    bench: Bench, task: str
) -> None:
    """Early or late: no pool process has begun it, so nobody has acked it."""
    [worker] = bench.start()
    with bench.armed(faults.kill("worker", after="delivered")):
        message = bench.publish(task, bench.order())
    worker.wait_exit(10.0)
    assert unacked(bench) == [message]
    assert [e.kind for e in bench.events() if e.message][-2:] == ["deliver", "fault"]
    bench.start()
    redeliver(bench.services.addresses, message)
    bench.fleet.quiet()
    assert bench.charges == 1


@pytest.mark.parametrize("pool", ["prefork", "solo"])
def test_a_worker_that_froze_as_it_got_a_message_goes_on_when_thawed(
    bench: Bench, pool: str
) -> None:
    [worker] = bench.start(pool=pool)
    with bench.armed(faults.freeze("worker", after="delivered")):
        message = bench.publish("early", bench.order())
    main = psutil.Process(worker.pid)
    wait_until(lambda: main.status() == "stopped", timeout=10.0, what="the freeze")
    assert unacked(bench) == [message]
    worker.thaw()
    bench.fleet.quiet()
    assert bench.charges == 1


def test_redelivery_leaves_the_messages_of_other_workers_alone(bench: Bench) -> None:
    bench.start()
    with bench.armed(faults.freeze("worker", before="charge")) as armed:
        held = bench.publish("charge_order", bench.order("bob"))
    wait_until(lambda: armed.struck, timeout=10.0, what="the freeze")
    (victim,) = bench.start()
    with bench.armed(faults.kill("worker", after="charge")):
        message = bench.publish("charge_order", bench.order())
    victim.wait_exit(10.0)
    bench.start()
    redeliver(bench.services.addresses, message)
    wait_until(lambda: bench.charges == 2, timeout=10.0, what="the second charge")
    wait_until(lambda: unacked(bench) == [held], timeout=10.0, what="the ack")
    bench.fleet.workers[0].thaw()
    bench.fleet.quiet()
    assert bench.charges == 3


def test_what_is_not_unacked_cannot_be_redelivered(bench: Bench) -> None:
    with pytest.raises(FaultError, match="not unacked"):
        redeliver(bench.services.addresses, "no such message")


def test_a_lost_reply_of_the_gateway_is_a_charge_and_an_error(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.lose_reply("charge"), "charge_order", bench.order())
    assert bench.charges == 1
    assert finished(bench) == ["FAILURE ConnectionError"]


def test_a_cut_connection_is_no_charge_and_an_error(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.cut("charge"), "charge_order", bench.order())
    assert bench.charges == 0
    assert finished(bench) == ["FAILURE ConnectionError"]


def test_a_lost_reply_of_the_mail_server_is_a_mail_and_an_error(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.lose_reply("mail"), "write_to", "ann@example.com")
    (mail,) = bench.services.mail.messages()
    assert mail["attempt"] == 1
    assert finished(bench) == ["FAILURE SMTPServerDisconnected"]


def test_a_mail_is_tied_to_its_attempt(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.kill(after="mail"), "write_to", "ann@example.com")
    effects = [event for event in bench.events() if event.kind == "effect"]
    assert [(e.lane, e.attempt) for e in effects] == [("mail", 1), ("mail", 2)]


def test_a_lost_commit_is_committed_and_an_error(bench: Bench) -> None:
    bench.start()
    order = bench.order()
    bench.strike(faults.lose_reply("commit"), "pay", order)
    assert status_of(bench, order) == "paid"
    assert finished(bench) == ["FAILURE OperationalError"]


def test_a_lost_statement_is_rolled_back_with_its_connection(bench: Bench) -> None:
    bench.start()
    order = bench.order()
    bench.strike(faults.lose_reply("update"), "pay", order)
    assert status_of(bench, order) == "new"


def test_death_before_the_commit_undoes_the_attempt(bench: Bench) -> None:
    bench.start()
    order = bench.order()
    with bench.armed(faults.kill("worker", before="commit")):
        bench.publish("pay", order)
    bench.fleet.workers[0].wait_exit(10.0)
    assert status_of(bench, order) == "new"


def status_of(bench: Bench, order: int) -> str:
    sql = "select status from shop_order where id = %s"
    ((status,),) = bench.services.postgres.rows(sql, order)
    return str(status)


@pytest.mark.parametrize(
    ("by_url", "count", "end"),
    [(False, "2", "SUCCESS"), (True, "1", "FAILURE ConnectionError")],
    ids=["Redis", "Redis.from_url"],
)
def test_redis_py_may_repeat_a_command_whose_reply_was_lost(
    bench: Bench,
    by_url: bool,  # noqa: FBT001 - a parameter of the test
    count: str,
    end: str,
) -> None:
    """redis-py 8.1 retries with ``Redis(...)``, and not with ``Redis.from_url``."""
    bench.start()
    bench.strike(faults.lose_reply("redis"), "count_up", by_url)
    assert bench.services.redis.client(2).get("count") == count
    assert finished(bench) == [end]


def test_a_soft_time_limit_is_raised_in_the_task(bench: Bench) -> None:
    bench.start()
    bench.strike(faults.soft_limit(after="charge"), "charge_order", bench.order())
    assert bench.charges == 1
    assert finished(bench) == ["FAILURE SoftTimeLimitExceeded"]


def test_a_terminated_worker_finishes_its_task(bench: Bench) -> None:
    (worker,) = bench.start()
    bench.strike(faults.term(before="charge"), "charge_order", bench.order())
    assert worker.wait_exit(15.0) == 0
    assert bench.charges == 1
    assert finished(bench) == ["SUCCESS"]


def test_a_frozen_child_goes_on_when_thawed(bench: Bench) -> None:
    (worker,) = bench.start()
    with bench.armed(faults.freeze(before="charge")) as armed:
        bench.publish("charge_order", bench.order())
    wait_until(lambda: armed.struck, timeout=10.0, what="the freeze")
    assert bench.charges == 0
    worker.thaw()
    bench.fleet.quiet()
    assert bench.charges == 1


def test_an_effect_in_a_thread_of_the_task_is_struck_and_tied(bench: Bench) -> None:
    bench.start()
    armed = bench.strike(faults.kill(after="charge"), "in_a_thread", bench.order())
    assert [strike["point"]["main"] for strike in armed.struck] == [False]
    assert lines(armed) == [13]
    effects = [event for event in bench.events() if event.kind == "effect"]
    assert [event.attempt for event in effects] == [1, 2]


def test_an_eager_call_belongs_to_the_attempt_that_makes_it(bench: Bench) -> None:
    bench.start()
    armed = bench.strike(faults.kill(after="charge", nth=2), "nested", bench.order())
    assert [strike["point"]["function"] for strike in armed.struck] == ["nested"]
    effects = [event for event in bench.events() if event.kind == "effect"]
    assert [event.attempt for event in effects] == [1, 1, 2, 2]


def test_solo_dies_as_a_whole(bench: Bench) -> None:
    (worker,) = bench.start(pool="solo")
    with bench.armed(faults.kill(after="charge")):
        bench.publish("charge_order", bench.order())
    assert worker.wait_exit(10.0) == -9


def test_what_did_not_strike_is_no_evidence(bench: Bench) -> None:
    bench.start()
    with pytest.raises(FaultError, match="Never struck: killed after mail"):
        bench.strike(faults.kill(after="mail"), "charge_order", bench.order())


def trace(bench: Bench, task: str, *args: object) -> list[str]:
    """The points of an attempt that nothing strikes."""
    with bench.armed() as armed:
        bench.publish(task, *args)
    bench.fleet.quiet()
    (path,) = armed.folder.glob("trace.*")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["number"] for row in rows] == list(range(len(rows)))
    return [f"{row['line']} {row['kind']} {row['name']}".strip() for row in rows]


def test_every_line_and_every_boundary_is_a_point(bench: Bench) -> None:
    bench.start()
    assert trace(bench, "charge_order", bench.order()) == [
        "12 line",
        *["12 sql select"] * 3,
        "13 line",
        *["13 http charge"] * 3,
        "14 line",
        "15 line",
        *["15 sql update"] * 3,
        "15 returned",
        "15 stored",
    ]


def test_leaving_a_transaction_is_a_line_and_a_commit(bench: Bench) -> None:
    bench.start()
    assert trace(bench, "pay", bench.order()) == [
        "32 line",
        "33 line",
        *["33 sql update"] * 3,
        "32 line",
        *["32 commit commit"] * 3,
        "32 returned",
        "32 stored",
    ]


def test_comprehensions_fold_into_their_line_and_loops_do_not(bench: Bench) -> None:
    bench.start()
    assert trace(bench, "summed") == [
        "51 line",
        *["52 line", "53 line"] * 3,
        "52 line",
        "54 line",
        "54 returned",
        "54 stored",
    ]
