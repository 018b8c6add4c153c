# rejected by: ex2-again
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def credit(self, event_id: str, name: str, amount: str) -> None:
    with transaction.atomic():
        account = Account.objects.select_for_update().get(name=name)
        seen = Credit.objects.filter(event_id=self.request.id)
        if not seen.exists():
            Credit.objects.create(
                account=account, amount=amount, event_id=self.request.id
            )
            Account.objects.filter(pk=account.pk).update(
                balance=F("balance") + Decimal(amount)
            )
