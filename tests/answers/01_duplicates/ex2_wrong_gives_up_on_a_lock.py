# rejected by: ex2-two-at-once
from zlib import crc32
from decimal import Decimal

from django.db import OperationalError, connection, transaction
from django.db.models import F

from atleastonce.shop.models import Account, Credit, WebhookEvent



@app.task(acks_late=True, reject_on_worker_lost=True)
def credit(event_id: str, name: str, amount: str) -> None:
    with transaction.atomic():
        with connection.cursor() as sql:
            sql.execute("SELECT pg_try_advisory_xact_lock(%s)", [crc32(event_id.encode())])
            if not sql.fetchone()[0]:
                return  # another worker is at it
        if not Credit.objects.filter(event_id=event_id).exists():
            account = Account.objects.get(name=name)
            Credit.objects.create(account=account, amount=amount, event_id=event_id)
            Account.objects.filter(pk=account.pk).update(balance=F("balance") + Decimal(amount))
