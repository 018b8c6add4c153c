"""Runbooks 04 and 07, each in the state that it is for: waits without an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from atleastonce.faults import kill
from atleastonce.fileserver import FileServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atleastonce.lab import Lab
    from tests.live.runbooks.conftest import Operator

pytestmark = pytest.mark.live

WAITS = """
import redis
from django.conf import settings
from django.db import transaction

from atleastonce.shop import payments
from atleastonce.shop.models import Order

locks = redis.Redis.from_url(settings.REDIS_URL)


@app.task(name="shop.page")
def page():
    return "done"


@app.task(name="shop.report")
def report():
    return page.delay().get(disable_sync_subtasks=False)


@app.task(name="shop.pay")
@transaction.atomic
def pay(order_id):
    order = Order.objects.select_for_update().get(pk=order_id)
    key = f"order-{order_id}"
    payments.charge(order.customer, order.amount, key=key, timeout=60)
    order.status = "paid"
    order.save()


@app.task(name="shop.nightly")
def nightly():
    if locks.set("nightly", 1, nx=True):
        Order.objects.filter(status="new").update(status="paid")
        locks.delete("nightly")
"""
HANGS = """
import requests
from django.db import connection


@app.task(name="shop.download")
def download(url):
    return len(requests.get(url).content)


@app.task(name="shop.export")
def export():
    connection.cursor().execute("SELECT pg_sleep(300)")
"""
OLD = """
    SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(300)'
    AND state = 'active' AND now() - query_start > interval '1 second'
"""


def test_04_everybody_waits(
    lab: Lab,
    operator: Operator,
    anew: Callable[[], None],
    orders: Callable[[int], None],
) -> None:
    tasks: Any = lab.load_tasks("runbook_waits", WAITS)
    operator.opens("04-deadlock")
    operator.env |= {"WORKER": "w1@lab", "WORKERS": "w1@lab,w2@lab"}

    orders(1)
    reports: Any = _two_pools(lab)
    tasks["report"].delay()
    tasks["pay"].apply_async([1], queue="money")
    tasks["nightly"].delay()
    lab.wait()
    operator.sees("healthy")

    anew()
    orders(2)
    reports = _two_pools(lab)
    with lab.strike(kill(before="Order.objects.filter")):
        tasks["nightly"].delay()
    lab.wait()
    _a_row_that_two_want(lab, tasks["pay"])
    reports.freeze()  # so that both are taken before a page is asked for
    for _ in range(2):
        tasks["report"].delay()
    reports.thaw()
    lab.wait(lambda: lab.world()["unacked"] == 2)
    operator.sees("trouble")

    operator.acts("Stop the bleeding")
    lab.gateway.knobs()
    operator.acts("Mend")
    lab.wait()
    assert lab.world()["orders paid"] == 2
    assert len(lab.gateway.charges()) == 1
    operator.is_done()


def _two_pools(lab: Lab) -> object:
    """One for reports and jobs, and one for money; the first."""
    reports = lab.worker(concurrency=2)
    lab.worker(concurrency=2, task_default_queue="money")
    return reports


def _a_row_that_two_want(lab: Lab, pay: Any) -> None:  # noqa: ANN401 - a task
    """The first has it locked while the provider hangs, the second waits for it."""
    lab.gateway.knobs(hang=True, times=1)
    pay.apply_async([1], queue="money")
    lab.wait(lambda: len(lab.gateway.requests()) == 1)
    pay.apply_async([1], queue="money")
    waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    lab.wait(lambda: lab.postgres.rows(waits)[0][0] == 1)


@pytest.fixture
def files() -> Iterator[FileServer]:
    server = FileServer()
    yield server
    server.stop()


def test_07_it_hangs(
    lab: Lab, operator: Operator, anew: Callable[[], None], files: FileServer
) -> None:
    tasks: Any = lab.load_tasks("runbook_hangs", HANGS)
    download = tasks["download"]
    operator.opens("07-timeouts")
    operator.env |= {"WORKER": "w1@lab", "WORKERS": "w1@lab"}

    lab.postgres.rows("ALTER ROLE CURRENT_USER SET statement_timeout = '30s'")
    lab.worker(task_soft_time_limit=150, task_time_limit=180)
    download.delay(files.url("report", "file", 1000))
    lab.wait()
    operator.sees("healthy")
    lab.postgres.rows("ALTER ROLE CURRENT_USER RESET ALL")

    anew()
    _a_query_that_outlives_its_task(lab, tasks["export"])
    operator.env |= {"WORKER": "w2@lab", "WORKERS": "w2@lab"}
    lab.worker(concurrency=2)
    hung = [download.delay(files.url(name, "hang")) for name in ("one", "two")]
    third = download.delay(files.url("third", "file", 1000))
    lab.wait(lambda: files.open("one") and files.open("two"))
    lab.wait(lambda: lab.postgres.rows(OLD)[0][0] == 1)
    operator.env["TASK_IDS"] = " ".join(message.id for message in hung)
    operator.sees("trouble")

    operator.acts("Stop the bleeding")
    lab.wait(lambda: third.state == "SUCCESS")
    assert {message.state for message in hung} == {"REVOKED"}
    assert lab.postgres.rows(OLD) == [(0,)]
    operator.acts("Mend")
    with lab.postgres.connect() as session:
        assert session.execute("SHOW statement_timeout").fetchone() == ("30s",)
    lab.postgres.rows("ALTER ROLE CURRENT_USER RESET ALL")
    _a_limit_by_control_does_not_strike(lab, download, files)
    operator.is_done()


def _a_query_that_outlives_its_task(lab: Lab, export: Any) -> None:  # noqa: ANN401 - a task
    worker: Any = lab.worker()
    export.delay()
    lab.wait(lambda: lab.postgres.rows(OLD)[0][0] == 1)
    worker.kill_child()
    worker.kill()


def _a_limit_by_control_does_not_strike(
    lab: Lab,
    download: Any,  # noqa: ANN401 - a task
    files: FileServer,
) -> None:
    """It is said to be set; a younger message that brings its own limit is killed."""
    who = {"destination": ["w2@lab"], "reply": True, "timeout": 10}
    (said,) = lab.app.control.time_limit("shop.download", soft=9, hard=0.5, **who)
    assert said == {"w2@lab": {"ok": "time limits set successfully"}}
    download.delay(files.url("old", "hang"))
    lab.wait(lambda: files.open("old"))
    younger = download.apply_async([files.url("new", "hang")], time_limit=0.5)
    lab.wait(lambda: younger.state == "FAILURE")
    assert files.open("old") == 1
