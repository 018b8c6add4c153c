# rejected by: ex3-stuck-is-taken-over
from datetime import timedelta

from django.db.models.functions import Now

from atleastonce.shop.models import Claim


def claim(key: str, owner: str, lease: float) -> bool:
    until = Now() + timedelta(seconds=lease)
    made = Claim.objects.get_or_create(key=key, defaults={"owner": owner, "until": until})
    return made[1]


def finish(key: str, owner: str) -> bool:
    return Claim.objects.filter(key=key, owner=owner, done=False).update(done=True) == 1


def stuck() -> list[str]:
    over = Claim.objects.filter(done=False, until__lte=Now())
    return list(over.values_list("key", flat=True))
