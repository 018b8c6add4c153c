# rejected by: ex2-crash-anywhere
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit, WebhookEvent


@app.task(acks_late=True, reject_on_worker_lost=True)
def credit(event_id: str, name: str, amount: str) -> None:
    event, new = WebhookEvent.objects.get_or_create(event_id=event_id)
    if new:
        with transaction.atomic():
            account = Account.objects.get(name=name)
            Credit.objects.create(account=account, amount=amount, event_id=event_id)
            Account.objects.filter(pk=account.pk).update(
                balance=F("balance") + Decimal(amount)
            )
