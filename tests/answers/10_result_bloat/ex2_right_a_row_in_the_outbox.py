from django.db import transaction
from printer import print_out

from atleastonce.shop.models import Outbox


def submit(order_id: int, text: str) -> None:
    with transaction.atomic():
        row = Outbox.objects.create(topic="print", payload={"order": order_id, "text": text})
        print_text.delay_on_commit(row.pk)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(row_id: int) -> None:
    row = Outbox.objects.filter(pk=row_id).first()
    if row:
        print_out(row.payload["order"], row.payload["text"])
        row.delete()
