# rejected by: ex1-new-member
from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Grant, Member


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id, name, points):
    with transaction.atomic():
        if not Member.objects.filter(name=name).exists():
            Member.objects.create(name=name)
        member = Member.objects.get(name=name)
        values = {"member": member, "points": points}
        _, new = Grant.objects.get_or_create(grant_id=grant_id, defaults=values)
        if new:
            Member.objects.filter(pk=member.pk).update(points=F("points") + points)
