"""A helper in another module: its effects count, its lines are not shown."""

# ruff: noqa: ANN001, ANN201 - written as a learner's tasks are

from atleastonce.shop.models import Account


def add(pk, amount):
    account = Account.objects.get(pk=pk)
    account.balance += amount
    account.save()
