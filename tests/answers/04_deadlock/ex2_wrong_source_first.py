# rejected by: ex2-opposite
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    with transaction.atomic():
        payer = Account.objects.select_for_update().get(name=source)
        payee = Account.objects.select_for_update().get(name=target)
        if payer.balance < money:
            return
        for account, change in ((payer, -money), (payee, money)):
            account.balance += change
            account.save()
            Credit.objects.create(account=account, amount=change, event_id=reference)
