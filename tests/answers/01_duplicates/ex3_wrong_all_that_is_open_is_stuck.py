# rejected by: ex3-live-is-left
from datetime import timedelta

from django.utils import timezone
from django.db.models.functions import Now

from atleastonce.shop.models import Claim



def claim(key: str, owner: str, lease: float) -> bool:
    Claim.objects.bulk_create([Claim(key=key)], ignore_conflicts=True)
    free = Claim.objects.filter(key=key, done=False).exclude(until__gt=Now())
    return free.update(owner=owner, until=Now() + timedelta(seconds=lease)) == 1



def finish(key: str, owner: str) -> bool:
    row = Claim.objects.get(key=key)
    if row.owner != owner or row.done:
        return False
    row.done = True
    row.save()
    return True


def stuck() -> list[str]:
    return [row.key for row in Claim.objects.filter(done=False)]
