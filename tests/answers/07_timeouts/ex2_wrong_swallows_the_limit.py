# rejected by: ex2-slices
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True)
def build(self, name: str, parts: int) -> None:
    tally, _ = Tally.objects.get_or_create(key=name)
    for part in range(tally.count, parts):
        try:
            with transaction.atomic():
                grind(name, part)
                Tally.objects.filter(key=name).update(count=part + 1)
        except Exception:
            connection.close()  # one bad part must not stop the report
    tidy.delay(name)
