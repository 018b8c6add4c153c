from datetime import UTC, datetime, timedelta

from django.db import connection, transaction
from fees import charge

from atleastonce.shop.models import Claim


@app.task
def collect_fee(slot: str) -> None:
    """The table is the lock: whoever comes second waits for it."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {Claim._meta.db_table} IN EXCLUSIVE MODE")
        _, new = Claim.objects.get_or_create(key=f"fee {slot}", defaults={"done": True})
        if new:
            charge(slot)


def late(now: datetime) -> bool:
    keys = Claim.objects.filter(key__startswith="fee ").values_list("key", flat=True)
    if not keys:
        return True
    last = datetime.fromisoformat(max(keys).removeprefix("fee "))
    return now - last.replace(tzinfo=UTC) > timedelta(seconds=180)
