# rejected by: ex3-tick-dies
from datetime import timedelta

from collector import collect
from django.db import transaction
from django.db.models.functions import Now

from atleastonce.shop.models import Scheduled

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(**LATE)
def later(order_id: int, wait: float) -> None:
    due = Now() + timedelta(seconds=wait)
    Scheduled.objects.create(task=collect.name, args=[order_id], due=due)


@app.task(**LATE)
@transaction.atomic
def tick() -> None:
    for row in Scheduled.objects.select_for_update().filter(sent_at=None, due__lte=Now()):
        transaction.on_commit(lambda args=row.args: collect.delay(*args))
        row.sent_at = Now()
        row.save()
