# rejected by: ex1-once
from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Grant, Member


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id, name, points):
    with transaction.atomic():
        if Grant.objects.filter(grant_id=grant_id).exists():
            return
        member, _ = Member.objects.get_or_create(name=name)
        Member.objects.filter(pk=member.pk).update(points=F("points") + points)
    values = {"member": member, "points": points}
    Grant.objects.get_or_create(grant_id=grant_id, defaults=values)
