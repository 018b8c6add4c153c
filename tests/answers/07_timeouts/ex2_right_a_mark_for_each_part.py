from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, connection, transaction
from mill import grind, tidy

from atleastonce.shop.models import WebhookEvent


@app.task(bind=True, max_retries=1000, default_retry_delay=0)
def build(self, name: str, parts: int) -> None:
    try:
        for part in reversed(range(parts)):
            one(name, part)
        tidy.apply_async([name])
    except SoftTimeLimitExceeded as error:
        connection.close()
        self.retry(exc=error)


def one(name, part):
    try:
        with transaction.atomic():
            WebhookEvent.objects.create(event_id=f"{name}-{part}")
            grind(name, part)
    except IntegrityError:
        pass  # it is done
