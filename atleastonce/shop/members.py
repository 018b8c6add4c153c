"""What several tasks write to at once: members, withdrawals, seats, reports."""

from __future__ import annotations

from django.db import models


class Member(models.Model):
    """A customer's row in the loyalty programme; several tasks write to it.

    Attributes:
        name: at most one row each.
        points: what was earned, of which some is spent.
        email: as the member has it.
        version: of the row, or of the change that was applied last.
    """

    name = models.CharField(max_length=100, unique=True)
    points = models.IntegerField(default=0)
    email = models.EmailField(blank=True, default="")
    version = models.IntegerField(default=0)

    def __str__(self) -> str:
        """Such as ``ann 4``."""
        return f"{self.name} {self.points}"


class Grant(models.Model):
    """Points that a member was given; at most one row for each grant's id."""

    grant_id = models.CharField(max_length=100, unique=True)
    member = models.ForeignKey(Member, on_delete=models.CASCADE)
    points = models.IntegerField()

    def __str__(self) -> str:
        """Such as ``order-1: 5``."""
        return f"{self.grant_id}: {self.points}"


class Withdrawal(models.Model):
    """Money that left an account; at most one row for each request's id."""

    request_id = models.CharField(max_length=100, unique=True)
    account = models.ForeignKey("shop.Account", on_delete=models.CASCADE)
    amount = models.DecimalField(max_digits=12, decimal_places=2)

    def __str__(self) -> str:
        """Such as ``req-1: 80.00``."""
        return f"{self.request_id}: {self.amount}"


class Workshop(models.Model):
    """An evening in the shop, for so many people."""

    title = models.CharField(max_length=100, unique=True)
    seats = models.IntegerField()

    def __str__(self) -> str:
        """Such as ``sourdough, 12 seats``."""
        return f"{self.title}, {self.seats} seats"


class SignUp(models.Model):
    """Who comes to a workshop.

    Without a unique constraint on purpose: two copies of a task can both find no row.
    """

    workshop = models.ForeignKey(Workshop, on_delete=models.CASCADE)
    name = models.CharField(max_length=100)

    def __str__(self) -> str:
        """Such as ``ann comes``."""
        return f"{self.name} comes"


class Report(models.Model):
    """A text that one worker at a time writes; at most one row each.

    Attributes:
        key: what it is about.
        body: the text.
        token: of the lock under which it was written last.
    """

    key = models.CharField(max_length=100, unique=True)
    body = models.TextField(blank=True, default="")
    token = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        """Such as ``july: 10 orders``."""
        return f"{self.key}: {self.body}"
