from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import Tally


@app.task(bind=True, autoretry_for=(SoftTimeLimitExceeded,), max_retries=None, default_retry_delay=0)
def build(self, name: str, parts: int) -> None:
    try:
        for part in range(parts):
            with transaction.atomic():
                _, new = Tally.objects.get_or_create(key=f"{name}/{part}")
                if new:
                    grind(name, part)
    except BaseException:
        connection.close()
        raise
    tidy.delay(name)
