# rejected by: ex2-crash-anywhere
from decimal import Decimal

from django.db import OperationalError, connection, transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit, WebhookEvent



@app.task(acks_late=True, reject_on_worker_lost=True)
def credit(event_id: str, name: str, amount: str) -> None:
    with transaction.atomic():
        event, new = WebhookEvent.objects.get_or_create(event_id=event_id)
        if new:
            account = Account.objects.select_for_update().first()
            Account.objects.update(balance=F("balance") + Decimal(amount))
            Credit.objects.create(account=account, amount=account.balance, event_id=event.pk)
