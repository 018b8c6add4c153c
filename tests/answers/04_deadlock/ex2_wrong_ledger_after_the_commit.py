# rejected by: ex2-all-or-nothing
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    with transaction.atomic():
        both = Account.objects.filter(name__in=[source, target]).order_by("pk")
        rows = {row.name: row for row in both.select_for_update()}
        if rows[source].balance < money:
            return
        rows[source].balance -= money
        rows[target].balance += money
        Account.objects.bulk_update(rows.values(), ["balance"])
    for name, change in ((source, -money), (target, money)):
        Credit.objects.create(account=rows[name], amount=change, event_id=reference)
