from celery.exceptions import Reject, SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def build(self, name: str, parts: int) -> None:
    try:
        tally, _ = Tally.objects.get_or_create(key=name)
        for part in range(tally.count, parts):
            with transaction.atomic():
                grind(name, part)
                Tally.objects.filter(key=name).update(count=part + 1)
        tidy.delay(name)
    except SoftTimeLimitExceeded:
        connection.close()
        raise Reject("the next slice", requeue=True)
