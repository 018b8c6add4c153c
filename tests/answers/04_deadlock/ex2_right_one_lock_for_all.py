from decimal import Decimal

from django.db import connection, transaction

from atleastonce.shop.models import Account, Credit


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    """Everybody who moves money stands in one line; slow, and right."""
    money = Decimal(amount)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(2024)")
        rows = Account.objects.order_by("pk").select_for_update()
        both = {row.name: row for row in rows.filter(name__in=[source, target])}
        if both[source].balance >= money:
            both[source].balance -= money
            both[target].balance += money
            Account.objects.bulk_update(both.values(), ["balance"])
            Credit.objects.bulk_create([
                Credit(account=both[source], amount=-money, event_id=reference),
                Credit(account=both[target], amount=money, event_id=reference),
            ])
