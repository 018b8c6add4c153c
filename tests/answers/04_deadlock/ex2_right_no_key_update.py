from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit


@app.task
@transaction.atomic
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    accounts = Account.objects.select_for_update(no_key=True)
    ids = dict(Account.objects.filter(name__in=[source, target]).values_list("name", "pk"))
    for pk in sorted(ids.values()):
        accounts.get(pk=pk)
    if Account.objects.get(name=source).balance < money:
        raise ValueError(f"{source} has less than {money}")
    for name, change in ((source, -money), (target, money)):
        Credit.objects.create(account_id=ids[name], amount=change, event_id=reference)
        Account.objects.filter(pk=ids[name]).update(balance=F("balance") + change)
