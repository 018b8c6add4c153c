# rejected by: ex2-opposite
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit


@app.task
@transaction.atomic
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    paid = Account.objects.filter(name=source, balance__gte=money)
    if not paid.update(balance=F("balance") - money):
        return
    Account.objects.filter(name=target).update(balance=F("balance") + money)
    for name, change in ((source, -money), (target, money)):
        account = Account.objects.get(name=name)
        Credit.objects.create(account=account, amount=change, event_id=reference)
