"""What the shop keeps: orders, its logs, accounts, webhooks, claims and the outbox."""

from __future__ import annotations

from django.db import models


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
