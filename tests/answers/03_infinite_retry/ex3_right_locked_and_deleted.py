from datetime import timedelta

from collector import collect
from django.db import transaction
from django.utils import timezone

from atleastonce.shop.models import Scheduled


@app.task(acks_late=True, reject_on_worker_lost=True)
def later(order_id: int, wait: float) -> None:
    due = timezone.now() + timedelta(seconds=wait)
    Scheduled.objects.create(task="collector.collect", args=[order_id], due=due)


@app.task(acks_late=True, reject_on_worker_lost=True)
def tick() -> None:
    with transaction.atomic():
        due = Scheduled.objects.select_for_update(skip_locked=True)
        for row in due.filter(due__lte=timezone.now()):
            app.send_task(row.task, row.args)
            row.delete()
