# rejected by: ex2-moves
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    with transaction.atomic():
        both = Account.objects.filter(name__in=[source, target]).order_by("pk")
        rows = {row.name: row for row in both.select_for_update()}
        if Credit.objects.filter(account=rows[source], amount=-money).exists():
            return  # moved already
        if rows[source].balance < money:
            return
        for name, change in ((source, -money), (target, money)):
            rows[name].balance += change
            rows[name].save()
            Credit.objects.create(account=rows[name], amount=change, event_id=reference)
