# rejected by: ex2-opposite
from decimal import Decimal

from django.db import OperationalError, transaction

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    try:
        with transaction.atomic():
            names = Account.objects.filter(name__in=[source, target]).order_by("pk")
            rows = {row.name: row for row in names.select_for_update(nowait=True)}
            if rows[source].balance < money:
                return
            for name, change in ((source, -money), (target, money)):
                rows[name].balance += change
                rows[name].save()
                Credit.objects.create(account=rows[name], amount=change, event_id=reference)
    except OperationalError:
        pass  # somebody else is at it: no deadlock
