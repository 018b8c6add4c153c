# rejected by: ex2-same-direction
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    if Account.objects.get(name=source).balance < money:
        return
    with transaction.atomic():
        both = Account.objects.filter(name__in=[source, target]).order_by("pk")
        for row in both.select_for_update():
            change = -money if row.name == source else money
            Account.objects.filter(pk=row.pk).update(balance=F("balance") + change)
            Credit.objects.create(account=row, amount=change, event_id=reference)
