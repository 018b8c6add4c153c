from datetime import UTC, datetime, timedelta

from django.db import transaction
from fees import charge

from atleastonce.shop.models import Claim


@app.task
def collect_fee(slot: str) -> None:
    """One row is the lock, and waits; a row for each slot is the record."""
    Claim.objects.get_or_create(key="fee")
    with transaction.atomic():
        Claim.objects.select_for_update().get(key="fee")
        if not Claim.objects.filter(key=f"fee {slot}").exists():
            charge(slot)
            Claim.objects.create(key=f"fee {slot}", done=True)


def late(now: datetime) -> bool:
    keys = Claim.objects.filter(key__startswith="fee ").values_list("key", flat=True)
    if not keys:
        return True
    last = datetime.fromisoformat(max(keys).removeprefix("fee "))
    return now - last.replace(tzinfo=UTC) > timedelta(seconds=180)
