from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import F

from atleastonce.shop.models import Grant, Member


def give(grant_id, name, points):
    with transaction.atomic():
        connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        if Grant.objects.filter(grant_id=grant_id).exists():
            return
        member, _ = Member.objects.get_or_create(name=name)
        Grant.objects.create(grant_id=grant_id, member=member, points=points)
        Member.objects.filter(pk=member.pk).update(points=F("points") + points)


@app.task(acks_late=True, reject_on_worker_lost=True)
def grant(grant_id, name, points):
    for last in (False, False, False, False, True):
        try:
            return give(grant_id, name, points)
        except (OperationalError, IntegrityError):
            if last:
                raise
