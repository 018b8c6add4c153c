from django.db import transaction

from atleastonce.shop.models import Grant, Member


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id, name, points):
    with transaction.atomic():
        Member.objects.get_or_create(name=name)
        member = Member.objects.select_for_update().get(name=name)
        if Grant.objects.filter(grant_id=grant_id).exists():
            return
        Grant.objects.create(grant_id=grant_id, member=member, points=points)
        member.points += points
        member.save(update_fields=["points"])
