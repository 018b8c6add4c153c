"""The shop against a live lab: its tables, its mails, its payments and its broker."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.core.mail import send_mail
from django.db import IntegrityError, OperationalError, connection, transaction

from atleastonce import shop
from atleastonce.services.embedded import Embedded
from atleastonce.services.process import child_env
from atleastonce.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

pytestmark = pytest.mark.live
#: Seconds that nothing takes, however busy the machine is.
SOON = 60.0


@pytest.fixture(scope="module")
def lab() -> Iterator[Embedded]:
    with Embedded("shop") as services:
        yield services


@pytest.fixture
def models(lab: Embedded) -> Iterator[ModuleType]:
    found = enter(lab)
    yield found
    found.Order.objects.all().delete()
    found.Account.objects.all().delete()
    lab.gateway.clear()
    lab.mail.clear()


@pytest.fixture
def payments(models: ModuleType) -> ModuleType:
    assert models
    from atleastonce.shop import payments as found  # noqa: PLC0415 - needs Django

    return found


@pytest.fixture
def app(lab: Embedded) -> Any:  # noqa: ANN401 - Celery has no types
    enter(lab)
    return celery().app


def enter(lab: Embedded) -> ModuleType:
    """Point this process at *lab*, as opening it in a notebook does."""
    shop.setup(lab.addresses)
    celery().connect(celery().app, lab.addresses)
    from atleastonce.shop import models  # noqa: PLC0415 - needs Django

    return models


def celery() -> ModuleType:
    from atleastonce.shop import celery as found  # noqa: PLC0415 - needs Django

    return found


def test_every_model_makes_the_round_trip(models: ModuleType, lab: Embedded) -> None:
    order = models.Order.objects.create(customer="ann", amount=Decimal("30.00"))
    models.ChargeLog.objects.create(order=order)
    models.MailLog.objects.create(email="ann@example.com", subject="Paid")
    account = models.Account.objects.create(name="ann")
    models.WebhookEvent.objects.create(event_id="evt-1")
    models.Credit.objects.create(account=account, amount="5.00", event_id="evt-1")
    models.Outbox.objects.create(topic="order_paid", payload={"order": order.pk})
    texts = [str(model.objects.get()) for model in tables(models)]
    assert texts == [
        "ann 0.00",
        f"charge of order {order.pk}",
        "credit 5.00 for evt-1",
        "mail to ann@example.com: Paid",
        f"order {order.pk}: ann 30.00 new",
        "order_paid waiting",
        "evt-1",
    ]
    assert lab.postgres.rows("SELECT customer, status FROM shop_order") == [
        ("ann", "new")
    ]
    for model in tables(models):
        model.objects.all().delete()


def tables(models: ModuleType) -> list[Any]:
    names = "Account ChargeLog Credit MailLog Order Outbox WebhookEvent"
    return [getattr(models, name) for name in names.split()]


def test_names_and_webhooks_are_unique_and_the_logs_are_not(models: ModuleType) -> None:
    for model, row in (
        (models.Account, {"name": "ann"}),
        (models.WebhookEvent, {"event_id": "evt-2"}),
    ):
        model.objects.create(**row)
        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.create(**row)
    order = models.Order.objects.create(customer="ann", amount=1)
    for _ in range(2):
        models.ChargeLog.objects.create(order=order)
    assert models.ChargeLog.objects.filter(order=order).count() == 2


@pytest.mark.usefixtures("models")
def test_a_mail_reaches_the_catcher(lab: Embedded) -> None:
    assert send_mail("Paid", "Thanks", None, ["ann@example.com"]) == 1
    (mail,) = lab.mail.messages()
    assert (mail["to"], mail["subject"]) == ("ann@example.com", "Paid")


def test_a_payment_reaches_the_gateway(lab: Embedded, payments: ModuleType) -> None:
    charge = payments.charge("ann", "30.00", reference="order-1")
    assert lab.gateway.charges() == [charge]


def test_a_query_works_inside_an_event_loop(models: ModuleType) -> None:
    async def cell() -> int:
        with contextlib.closing(connection):
            return int(models.Order.objects.count())

    assert asyncio.run(cell()) == 0


def test_setup_again_heals_a_connection_that_a_crash_broke(
    models: ModuleType, lab: Embedded
) -> None:
    assert models.Order.objects.count() == 0
    lab.postgres.crash()
    with pytest.raises(OperationalError):
        models.Order.objects.count()
    shop.setup(lab.addresses)
    assert models.Order.objects.count() == 0


def test_the_next_lab_gets_everything_and_the_one_before_nothing(
    lab: Embedded, payments: ModuleType
) -> None:
    use_everything(payments, "ann")
    with Embedded("next") as other:
        enter(other)
        use_everything(payments, "bob")
        assert used(other) == (["bob"], ["bob"], ["bob@example.com"], 1)
    assert used(lab) == (["ann"], ["ann"], ["ann@example.com"], 1)
    enter(lab)
    use_everything(payments, "eve")
    assert used(lab)[0] == ["ann", "eve"]
    lab.redis.client().flushdb()


def use_everything(payments: ModuleType, name: str) -> None:
    from atleastonce.shop.models import Order  # noqa: PLC0415 - needs Django

    Order.objects.create(customer=name, amount=1)
    payments.charge(name, "1.00")
    send_mail("Paid", "Thanks", None, [f"{name}@example.com"])
    celery().app.send_task("celery.accumulate", [name])


def used(lab: Embedded) -> tuple[list[str], list[str], list[str], int]:
    rows = lab.postgres.rows("SELECT customer FROM shop_order ORDER BY id")
    return (
        [name for (name,) in rows],
        [charge["customer"] for charge in lab.gateway.charges()],
        [mail["to"] for mail in lab.mail.messages()],
        lab.redis.client().llen("celery"),
    )


def test_results_of_both_labs_are_found(lab: Embedded, app: Any) -> None:  # noqa: ANN401 - Celery has no types
    assert found_result(app, lab) == "shop"
    with Embedded("next") as other:
        enter(other)
        assert found_result(app, other) == "next"
    enter(lab)
    assert found_result(app, lab) == "shop"


def found_result(app: Any, lab: Embedded) -> str:  # noqa: ANN401 - Celery has no types
    lab.redis.client(1).set(
        "celery-task-meta-t1",
        f'{{"status": "SUCCESS", "result": "{lab.stem}", "task_id": "t1"}}',
    )
    return str(app.AsyncResult("t1").get(timeout=SOON))


def test_a_broker_of_the_learners_own_is_not_touched(
    lab: Embedded,
    app: Any,  # noqa: ANN401 - Celery has no types
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("BROKER_URL", "BROKER_WRITE_URL", "RESULT_BACKEND"):
        monkeypatch.setenv(f"CELERY_{name}", "redis://127.0.0.1:9/0")
    celery().connect(app, lab.addresses)
    app.send_task("celery.accumulate", [1])
    assert lab.redis.client().llen("celery") == 1
    lab.redis.client().flushdb()


def test_the_plain_command_line_starts_a_worker(lab: Embedded, app: Any) -> None:  # noqa: ANN401 - Celery has no types
    quick = ["worker", "--pool=solo", "--without-mingle", "--without-gossip"]
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "atleastonce.shop.celery", *quick],
        cwd=lab.folder,
        env=child_env(ATLEASTONCE_LAB_FILE=lab.lab_file),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        done = app.send_task("celery.accumulate", [1, 2])
        assert done.get(timeout=SOON) == [1, 2]
    finally:
        worker.kill()
        worker.wait(SOON)
    wait_until(
        lambda: not lab.redis.client().llen("celery"), timeout=SOON, what="the queue"
    )
