# rejected by: ex2-apart
from datetime import UTC, datetime, timedelta

from django.db.models import Q
from fees import charge

from atleastonce.shop.models import Claim


@app.task
def collect_fee(slot: str) -> None:
    """A lease in Postgres, which ends while its holder is still at it."""
    now = datetime.now(UTC)
    Claim.objects.get_or_create(key="fee")
    free = Claim.objects.filter(Q(until=None) | Q(until__lt=now), key="fee")
    if not free.update(until=now + timedelta(seconds=30)):
        return
    try:
        if not Claim.objects.filter(key=f"fee {slot}").exists():
            charge(slot)
            Claim.objects.create(key=f"fee {slot}", done=True)
    finally:
        Claim.objects.filter(key="fee").update(until=None)


def late(now: datetime) -> bool:
    keys = Claim.objects.filter(key__startswith="fee ").values_list("key", flat=True)
    if not keys:
        return True
    last = datetime.fromisoformat(max(keys).removeprefix("fee "))
    return now - last.replace(tzinfo=UTC) > timedelta(seconds=180)
