# rejected by: ex2-same-direction
from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, Credit


@app.task
@transaction.atomic
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    for name, change in ((source, -money), (target, money)):
        account = Account.objects.get(name=name)
        Credit.objects.create(account=account, amount=change, event_id=reference)
    both = Account.objects.filter(name__in=[source, target]).order_by("pk")
    rows = {row.name: row for row in both.select_for_update()}
    if rows[source].balance < money:
        raise ValueError("too little")
    rows[source].balance -= money
    rows[target].balance += money
    Account.objects.bulk_update(rows.values(), ["balance"])
