# rejected by: ex1-two-grants
from django.db import transaction

from atleastonce.shop.models import Grant, Member


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id, name, points):
    with transaction.atomic():
        Member.objects.get_or_create(name=name)
        free = Member.objects.select_for_update(skip_locked=True)
        member = free.filter(name=name).first()
        if member and not Grant.objects.filter(grant_id=grant_id).exists():
            Grant.objects.create(grant_id=grant_id, member=member, points=points)
            member.points += points
            member.save(update_fields=["points"])
