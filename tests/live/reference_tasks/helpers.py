"""Where the tasks of ``away`` have their effects."""

import redis
from atleastonce.settings import Settings
from atleastonce.shop import payments
from atleastonce.shop.models import ChargeLog, Credit, Order, Outbox, WebhookEvent
from django.db import transaction
from django.utils import timezone


def cache():
    """A client of the lab's Redis."""
    return redis.Redis.from_url(Settings.from_env().addresses().redis_url(2))


def pay(order_id, **how):
    """Charge an order, and mark it."""
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, **how)
    mark(order)


def mark(order):
    """Mark an order as paid."""
    order.status = "paid"
    order.save()


def pay_if_not_logged(order_id):
    """Charge an order unless there is a row that says so."""
    order = Order.objects.get(pk=order_id)
    if not ChargeLog.objects.filter(order=order).exists():
        payments.charge(order.customer, order.amount)
        ChargeLog.objects.create(order=order)
    mark(order)


def pay_if_first(order_id):
    """Charge an order unless somebody has begun to."""
    order = Order.objects.get(pk=order_id)
    if cache().set(f"order-{order_id}", "taken", nx=True):
        payments.charge(order.customer, order.amount)
        mark(order)


def credit_together(event_id):
    """Event and credit in one transaction."""
    with transaction.atomic():
        event = WebhookEvent(event_id=event_id)
        WebhookEvent.objects.bulk_create([event], ignore_conflicts=True)
        if not Credit.objects.filter(event_id=event_id).exists():
            Credit.objects.create(account_id=1, amount=30, event_id=event_id)


def credit_apart(event_id):
    """Event and credit in two transactions."""
    if WebhookEvent.objects.filter(event_id=event_id).exists():
        return
    event = WebhookEvent(event_id=event_id)
    WebhookEvent.objects.bulk_create([event], ignore_conflicts=True)
    Credit.objects.create(account_id=1, amount=30, event_id=event_id)


def write_outbox(order_id):
    """Order and message in one transaction."""
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if order.status == "new":
            mark(order)
            Outbox.objects.create(topic="paid", payload={"order": order_id})


def send_outbox():
    """Charge for every row that was not sent."""
    for row in Outbox.objects.filter(sent_at=None):
        payments.charge("ann", 30, reference=row.topic)
        row.sent_at = timezone.now()
        row.save()
