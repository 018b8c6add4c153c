# rejected by: ex2-apart
from datetime import UTC, datetime, timedelta

from fees import charge

from atleastonce.shop.models import Claim


@app.task(bind=True, max_retries=None)
def collect_fee(self, slot: str) -> None:
    """A row says that somebody is at it; who reads it does not lock it."""
    row, _ = Claim.objects.get_or_create(key="fee")
    if row.owner:
        raise self.retry(countdown=0.3)
    Claim.objects.filter(key="fee").update(owner=slot)
    try:
        if not Claim.objects.filter(key=f"fee {slot}").exists():
            charge(slot)
            Claim.objects.create(key=f"fee {slot}", done=True)
    finally:
        Claim.objects.filter(key="fee").update(owner="")


def late(now: datetime) -> bool:
    keys = Claim.objects.filter(key__startswith="fee ").values_list("key", flat=True)
    if not keys:
        return True
    last = datetime.fromisoformat(max(keys).removeprefix("fee "))
    return now - last.replace(tzinfo=UTC) > timedelta(seconds=180)
