from django.db import IntegrityError, transaction
from django.db.models import F

from atleastonce.shop.models import Grant, Member


def give(grant_id, name, points):
    with transaction.atomic():
        Member.objects.bulk_create([Member(name=name)], ignore_conflicts=True)
        member = Member.objects.only("pk").get(name=name)
        Grant.objects.create(grant_id=grant_id, member=member, points=points)
        Member.objects.filter(pk=member.pk).update(points=F("points") + points)


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id, name, points):
    try:
        give(grant_id, name, points)
    except IntegrityError:
        return  # it was given before
