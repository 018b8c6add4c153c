# rejected by: ex2-again
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit, WebhookEvent


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def credit(self, event_id: str, name: str, amount: str) -> None:
    with transaction.atomic():
        event, new = WebhookEvent.objects.get_or_create(event_id=self.request.id)
        if new:
            account = Account.objects.get(name=name)
            Credit.objects.create(account=account, amount=amount, event_id=event_id)
            Account.objects.filter(pk=account.pk).update(
                balance=F("balance") + Decimal(amount)
            )
