# rejected by: ex1-new-member
from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Grant, Member


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id: str, name: str, points: int) -> None:
    start = {"points": points}
    member, made = Member.objects.get_or_create(name=name, defaults=start)
    with transaction.atomic():
        values = {"member": member, "points": points}
        _, new = Grant.objects.get_or_create(grant_id=grant_id, defaults=values)
        if new and not made:
            Member.objects.filter(pk=member.pk).update(points=F("points") + points)
