# rejected by: ex3-stuck-is-taken-over
from datetime import timedelta

from django.utils import timezone
from django.db.models.functions import Now

from atleastonce.shop.models import Claim



def claim(key: str, owner: str, lease: float) -> bool:
    Claim.objects.bulk_create([Claim(key=key)], ignore_conflicts=True)
    free = Claim.objects.filter(key=key, done=False).exclude(until__gt=Now())
    return free.update(owner=owner, until=timezone.now() + timedelta(seconds=lease)) == 1



def finish(key: str, owner: str) -> bool:
    return Claim.objects.filter(key=key, owner=owner, done=False).update(done=True) == 1



def stuck() -> list[str]:
    over = Claim.objects.filter(done=False, until__lte=Now())
    return list(over.values_list("key", flat=True))
