# rejected by: ex2-moves
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit


@app.task
@transaction.atomic
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    rows = list(Account.objects.filter(name__in=[source, target]).order_by("pk").select_for_update())
    for row in rows:
        change = -money if row.name == source else money
        Account.objects.filter(pk=row.pk).update(balance=F("balance") + change)
        Credit.objects.create(account=row, amount=change, event_id=reference)
