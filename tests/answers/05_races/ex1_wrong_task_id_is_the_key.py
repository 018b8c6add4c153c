# rejected by: ex1-once
from django.db import transaction
from django.db.models import F

from atleastonce.shop.models import Grant, Member, WebhookEvent


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def grant(self, grant_id, name, points):
    with transaction.atomic():
        member, _ = Member.objects.get_or_create(name=name)
        if not WebhookEvent.objects.get_or_create(event_id=self.request.id)[1]:
            return
        values = {"member": member, "points": points}
        Grant.objects.get_or_create(grant_id=grant_id, defaults=values)
        Member.objects.filter(pk=member.pk).update(points=F("points") + points)
