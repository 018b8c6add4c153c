# rejected by: ex2-opposite
from decimal import Decimal

from django.db import OperationalError, transaction

from atleastonce.shop.models import Account, Credit


@app.task
@transaction.atomic
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    for _ in range(3):
        try:
            payer = Account.objects.select_for_update().get(name=source)
            payee = Account.objects.select_for_update().get(name=target)
            break
        except OperationalError:
            continue
    if payer.balance >= money:
        for account, change in ((payer, -money), (payee, money)):
            account.balance += change
            account.save()
            Credit.objects.create(account=account, amount=change, event_id=reference)
