# rejected by: ex2-whole
# Wrong: "every text is printed": a worker that is quicker than COMMIT finds no row, takes it for printed, and the row stays for ever.
from django.db import transaction
from printer import print_out

from atleastonce.shop.models import Outbox


@transaction.atomic
def submit(order_id: int, text: str) -> None:
    row = Outbox.objects.create(topic="print", payload={"order": order_id, "text": text})
    print_text.delay(row.pk)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(row_id: int) -> None:
    row = Outbox.objects.filter(pk=row_id).first()
    if row:
        print_out(row.payload["order"], row.payload["text"])
        row.delete()
