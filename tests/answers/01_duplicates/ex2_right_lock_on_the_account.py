from decimal import Decimal

from django.db import transaction

from atleastonce.shop.models import Account, Credit


@app.task(acks_late=True, reject_on_worker_lost=True)
def credit(event_id: str, name: str, amount: str) -> None:
    with transaction.atomic():
        account = Account.objects.select_for_update().get(name=name)
        if Credit.objects.filter(event_id=event_id).exists():
            return
        Credit.objects.create(account=account, amount=amount, event_id=event_id)
        account.balance += Decimal(amount)
        account.save()
