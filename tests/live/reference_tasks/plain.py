"""Ten ways to do a piece of work once, one statement to a line."""

from reference_helpers import cache

from atleastonce.shop import payments
from atleastonce.shop.celery import app
from atleastonce.shop.models import ChargeLog, Credit, Order, Outbox, WebhookEvent
from django.db import transaction
from django.utils import timezone

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(**LATE)
def naive(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount)
    order.status = "paid"
    order.save()


@app.task(**LATE)
def log_table(order_id):
    order = Order.objects.get(pk=order_id)
    if not ChargeLog.objects.filter(order=order).exists():
        payments.charge(order.customer, order.amount)
        ChargeLog.objects.create(order=order)
    order.status = "paid"
    order.save()


@app.task(**LATE)
def set_nx(order_id):
    order = Order.objects.get(pk=order_id)
    if cache().set(f"order-{order_id}", "taken", nx=True):
        payments.charge(order.customer, order.amount)
        order.status = "paid"
        order.save()


@app.task(**LATE)
def one_transaction(event_id):
    with transaction.atomic():
        event = WebhookEvent(event_id=event_id)
        WebhookEvent.objects.bulk_create([event], ignore_conflicts=True)
        if not Credit.objects.filter(event_id=event_id).exists():
            Credit.objects.create(account_id=1, amount=30, event_id=event_id)


@app.task(**LATE)
def two_transactions(event_id):
    if WebhookEvent.objects.filter(event_id=event_id).exists():
        return
    event = WebhookEvent(event_id=event_id)
    WebhookEvent.objects.bulk_create([event], ignore_conflicts=True)
    Credit.objects.create(account_id=1, amount=30, event_id=event_id)


@app.task(**LATE)
def key(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=f"order-{order_id}")
    order.status = "paid"
    order.save()


@app.task(**LATE)
def outbox(order_id):
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if order.status == "new":
            order.status = "paid"
            order.save()
            Outbox.objects.create(topic="paid", payload={"order": order_id})


def relay():
    for row in Outbox.objects.filter(sent_at=None):
        payments.charge("ann", 30, reference=row.topic)
        row.sent_at = timezone.now()
        row.save()


@app.task
def early(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount)
    order.status = "paid"
    order.save()


@app.task(acks_late=True)
def no_reject(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount)
    order.status = "paid"
    order.save()


@app.task(retry_on_worker_lost=True, default_retry_delay=0)
def retried(order_id):
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount)
    order.status = "paid"
    order.save()
