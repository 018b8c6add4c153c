# rejected by: ex3-once
from datetime import timedelta

from collector import collect
from django.db.models.functions import Now

from atleastonce.shop.models import Scheduled

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(**LATE)
def later(order_id: int, wait: float) -> None:
    due = Now() + timedelta(seconds=wait)
    Scheduled.objects.create(task=collect.name, args=[order_id], due=due)


@app.task(**LATE)
def tick() -> None:
    for row in Scheduled.objects.filter(sent_at=None):
        collect.delay(*row.args)
        Scheduled.objects.filter(pk=row.pk).update(sent_at=Now())
