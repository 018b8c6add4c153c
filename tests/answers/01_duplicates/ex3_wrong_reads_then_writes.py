# rejected by: ex3-one-wins
from datetime import timedelta

from django.utils import timezone
from django.db.models.functions import Now

from atleastonce.shop.models import Claim



def claim(key: str, owner: str, lease: float) -> bool:
    row, new = Claim.objects.get_or_create(key=key)
    if not new and (row.done or Claim.objects.filter(key=key, until__gt=Now()).exists()):
        return False
    row.owner, row.until = owner, Now() + timedelta(seconds=lease)
    row.save()
    return True


def finish(key: str, owner: str) -> bool:
    return Claim.objects.filter(key=key, owner=owner, done=False).update(done=True) == 1



def stuck() -> list[str]:
    over = Claim.objects.filter(done=False, until__lte=Now())
    return list(over.values_list("key", flat=True))
