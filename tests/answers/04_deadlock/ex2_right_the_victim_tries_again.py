from decimal import Decimal

from django.db import OperationalError, transaction

from atleastonce.shop.models import Account, Credit


@app.task(bind=True, max_retries=20, default_retry_delay=0)
def transfer(self, source: str, target: str, amount: str, reference: str) -> None:
    money = Decimal(amount)
    try:
        with transaction.atomic():
            payer = Account.objects.select_for_update().get(name=source)
            payee = Account.objects.select_for_update().get(name=target)
            if payer.balance < money:
                return
            for account, change in ((payer, -money), (payee, money)):
                account.balance += change
                account.save()
                Credit.objects.create(account=account, amount=change, event_id=reference)
    except OperationalError as error:
        if error.__cause__.sqlstate != "40P01":
            raise
        raise self.retry(exc=error)
