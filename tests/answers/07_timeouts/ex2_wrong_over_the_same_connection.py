# rejected by: ex2-slices
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True)
def build(self, name: str, parts: int) -> None:
    tally, _ = Tally.objects.get_or_create(key=name)
    done = tally.count
    try:
        for part in range(tally.count, parts):
            grind(name, part)
            done = part + 1
        tidy.delay(name)
    except SoftTimeLimitExceeded:
        Tally.objects.filter(key=name).update(count=done)  # over the connection that was cut short
        build.delay(name, parts)
