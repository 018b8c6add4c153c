# rejected by: ex2-slices
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True)
def build(self, name: str, parts: int) -> None:
    tally, _ = Tally.objects.get_or_create(key=name)
    try:
        with transaction.atomic():
            for part in range(tally.count, parts):
                grind(name, part)
                Tally.objects.filter(key=name).update(count=part + 1)
    except SoftTimeLimitExceeded:
        connection.close()
        if self.request.retries < 12:
            raise self.retry(countdown=0, max_retries=12)
        raise
    tidy.delay(name)
