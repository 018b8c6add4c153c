# rejected by: ex2-due
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True, max_retries=None)
def build(self, name: str, parts: int) -> None:
    try:
        tally, _ = Tally.objects.get_or_create(key=name)
        for part in range(tally.count, parts):
            with transaction.atomic():
                grind(name, part)
                Tally.objects.filter(key=name).update(count=part + 1)
        tidy.delay(name)
    except SoftTimeLimitExceeded as error:
        connection.close()
        raise self.retry(exc=error)
