# rejected by: ex2-interest
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    with transaction.atomic():
        rows = {}
        for name in sorted([source, target]):
            rows[name] = Account.objects.select_for_update().get(name=name)
        if rows[source].balance < money:
            return
        for name, change in ((source, -money), (target, money)):
            rows[name].balance += change
            rows[name].save()
            Credit.objects.create(account=rows[name], amount=change, event_id=reference)
