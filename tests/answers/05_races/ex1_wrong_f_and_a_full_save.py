# rejected by: ex1-other-columns
from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Grant, Member


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id, name, points):
    with transaction.atomic():
        member, _ = Member.objects.get_or_create(name=name)
        values = {"member": member, "points": points}
        _, new = Grant.objects.get_or_create(grant_id=grant_id, defaults=values)
        if new:
            member.points = F("points") + points
            member.save()
