import renderer
from django.db import connection, transaction
from django.utils import timezone

from atleastonce.shop.models import DeadLetter, Tally

BEGIN = """
    INSERT INTO shop_tally (key, count) VALUES (%s, 1)
    ON CONFLICT (key) DO UPDATE SET count = shop_tally.count + 1 RETURNING count
"""


@app.task(acks_late=True, reject_on_worker_lost=True)
def invoice(order_id: int) -> None:
    key = f"order-{order_id}"
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, [key])
        tries = cursor.fetchone()[0]
    if tries > 3:
        with transaction.atomic():
            DeadLetter.objects.filter(key=key).delete()
            DeadLetter.objects.create(
                key=key, task="invoices.invoice", args=[order_id], error="three deaths"
            )
        return
    renderer.render(order_id)
    Tally.objects.filter(key=key).delete()


@app.task(acks_late=True, reject_on_worker_lost=True)
def replay() -> None:
    with transaction.atomic():
        waiting = DeadLetter.objects.select_for_update().filter(replayed_at=None)
        for letter in waiting:
            Tally.objects.filter(key=letter.key).delete()
            transaction.on_commit(lambda: None)
            letter.replayed_at = timezone.now()
            letter.save()
            invoice.delay(*letter.args)
