# rejected by: ex2-slices
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True)
def build(self, name: str, parts: int) -> None:
    try:
        tally, _ = Tally.objects.get_or_create(key=name)
        for part in range(tally.count, parts):
            Tally.objects.filter(key=name).update(count=part + 1)
            grind(name, part)
        tidy.delay(name)
    except SoftTimeLimitExceeded:
        connection.close()
        build.delay(name, parts)
