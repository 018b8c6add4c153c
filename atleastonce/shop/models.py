"""What the shop keeps: orders, logs, accounts, claims, keys, and what waits."""

from __future__ import annotations

from django.db import models

from atleastonce.shop.members import (
    Grant,
    Member,
    Report,
    SignUp,
    Withdrawal,
    Workshop,
)

__all__ = [
    "Account",
    "ChargeLog",
    "Claim",
    "Credit",
    "DeadLetter",
    "Grant",
    "IdempotencyKey",
    "MailLog",
    "Member",
    "Order",
    "Outbox",
    "Report",
    "Scheduled",
    "SignUp",
    "Tally",
    "WebhookEvent",
    "Withdrawal",
    "Workshop",
]


class Order(models.Model):
    """What a customer bought; charged once, one hopes."""

    class Status(models.TextChoices):
        """How far the order is."""

        NEW = "new"
        IN_PROGRESS = "in_progress"
        PAID = "paid"

    customer = models.CharField(max_length=100)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.NEW)
    charge_id = models.CharField(max_length=100, blank=True, default="")

    def __str__(self) -> str:
        """Such as ``order 1: ann 30.00 new``."""
        return f"order {self.pk}: {self.customer} {self.amount} {self.status}"


class ChargeLog(models.Model):
    """One row per charge that was made: the log that "check, then charge" looks at.

    Without a unique constraint on purpose: two copies of a task can both find no row.
    """

    order = models.ForeignKey(Order, on_delete=models.CASCADE)

    def __str__(self) -> str:
        """Such as ``charge of order 1``."""
        return f"charge of order {self.order_id}"


class MailLog(models.Model):
    """One row per mail that was sent; without a unique constraint, like ChargeLog."""

    email = models.EmailField()
    subject = models.CharField(max_length=200)

    def __str__(self) -> str:
        """Such as ``mail to ann@example.com: Paid``."""
        return f"mail to {self.email}: {self.subject}"


class Account(models.Model):
    """A customer's prepaid money."""

    name = models.CharField(max_length=100, unique=True)
    balance = models.DecimalField(max_digits=12, decimal_places=2, default=0)

    def __str__(self) -> str:
        """Such as ``ann 30.00``."""
        return f"{self.name} {self.balance}"


class WebhookEvent(models.Model):
    """A webhook that was seen; its id is unique, so it can be inserted only once."""

    event_id = models.CharField(max_length=100, unique=True)

    def __str__(self) -> str:
        """Its id."""
        return str(self.event_id)


class Credit(models.Model):
    """Money put on an account because of a webhook; the account's history."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    event_id = models.CharField(max_length=100)

    def __str__(self) -> str:
        """Such as ``credit 30.00 for evt-1``."""
        return f"credit {self.amount} for {self.event_id}"


class Claim(models.Model):
    """Who works on something, until when, and whether it is done.

    Attributes:
        key: what is claimed, such as ``order-1``; at most one row each.
        owner: the attempt that holds it; "" for none.
        until: when the lease ends, unless it is renewed or given back.
        done: the work is finished; nobody may claim it again.
    """

    key = models.CharField(max_length=100, unique=True)
    owner = models.CharField(max_length=100, blank=True, default="")
    until = models.DateTimeField(null=True, blank=True)
    done = models.BooleanField(default=False)

    def __str__(self) -> str:
        """Such as ``order-1 done``."""
        return f"{self.key} {'done' if self.done else self.owner or 'free'}"


class IdempotencyKey(models.Model):
    """A request that a client may send again; at most one row per client and key.

    Attributes:
        client: who asks; keys of two clients have nothing to do with each other.
        key: what the client sent as ``Idempotency-Key``.
        body: what was asked for, as JSON, so that another request under the same key
            can be told.
        order: what became of it.
    """

    client = models.CharField(max_length=100)
    key = models.CharField(max_length=100)
    body = models.JSONField(default=dict)
    order = models.ForeignKey(Order, on_delete=models.CASCADE, null=True, blank=True)

    class Meta:
        """A key of one client is there once."""

        constraints = (
            models.UniqueConstraint(fields=["client", "key"], name="one_per_client"),
        )

    def __str__(self) -> str:
        """Such as ``ann key-1``."""
        return f"{self.client} {self.key}"


class Outbox(models.Model):
    """A message that must be published, written in the transaction of its reason."""

    topic = models.CharField(max_length=100)
    payload = models.JSONField(default=dict)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """The rows have no plural."""

        verbose_name_plural = "outbox"

    def __str__(self) -> str:
        """Such as ``order_paid sent``."""
        return f"{self.topic} {'sent' if self.sent_at else 'waiting'}"


class DeadLetter(models.Model):
    """Work that was given up: what it was, why, and whether it was tried again.

    Attributes:
        key: what it is about, such as ``order-1``; at most one row each.
        task, args: what to send, to try it again.
        error: why it was given up.
        replayed_at: when it was sent again; None while it waits for somebody.
    """

    key = models.CharField(max_length=100, unique=True)
    task = models.CharField(max_length=200)
    args = models.JSONField(default=list)
    error = models.CharField(max_length=500, blank=True, default="")
    replayed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        """Such as ``order-1: HTTPError``."""
        return f"{self.key}: {self.error}"


class Tally(models.Model):
    """How often something was begun, such as the work on ``order-1``."""

    key = models.CharField(max_length=100, unique=True)
    count = models.IntegerField(default=0)

    def __str__(self) -> str:
        """Such as ``order-1: 3``."""
        return f"{self.key}: {self.count}"


class Scheduled(models.Model):
    """A message that is to be published later; it waits here and not in a broker.

    Attributes:
        task, args: what to send.
        due: not before.
        sent_at: when it was sent; None while it waits.
    """

    task = models.CharField(max_length=200)
    args = models.JSONField(default=list)
    due = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        """Such as ``reminders.remind[1] waiting``."""
        return f"{self.task}{self.args} {'sent' if self.sent_at else 'waiting'}"
