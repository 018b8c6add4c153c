from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True, max_retries=None)
def build(self, name: str, parts: int) -> None:
    try:
        for part in range(noted(name), parts):
            with transaction.atomic():
                grind(name, part)
                Tally.objects.update_or_create(key=name, defaults={"count": part + 1})
    except SoftTimeLimitExceeded:
        connection.close()
        raise self.retry(countdown=0)
    tidy(name)


def noted(name):
    return Tally.objects.filter(key=name).values_list("count", flat=True).first() or 0
