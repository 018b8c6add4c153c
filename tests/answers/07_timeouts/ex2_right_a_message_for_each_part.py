from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True)
def build(self, name: str, parts: int) -> None:
    try:
        with transaction.atomic():
            Tally.objects.get_or_create(key=name)
            tally = Tally.objects.select_for_update().get(key=name)
            if tally.count < parts:
                grind(name, tally.count)
                tally.count += 1
                tally.save()
    except SoftTimeLimitExceeded:
        connection.close()
        build.delay(name, parts)
        return
    (build.si(name, parts) if tally.count < parts else tidy.si(name)).delay()
