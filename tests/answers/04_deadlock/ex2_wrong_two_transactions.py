# rejected by: ex2-all-or-nothing
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    """One account at a time: there is nothing to wait for in a circle."""
    money = Decimal(amount)
    with transaction.atomic():
        paid = Account.objects.filter(name=source, balance__gte=money)
        if not paid.update(balance=F("balance") - money):
            return
        account = Account.objects.get(name=source)
        Credit.objects.create(account=account, amount=-money, event_id=reference)
    with transaction.atomic():
        Account.objects.filter(name=target).update(balance=F("balance") + money)
        account = Account.objects.get(name=target)
        Credit.objects.create(account=account, amount=money, event_id=reference)
