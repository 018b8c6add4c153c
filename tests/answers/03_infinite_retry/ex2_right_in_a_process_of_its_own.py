import os

import renderer
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from atleastonce.shop.models import DeadLetter, Tally


def survives(order_id):
    """Render in a child of this process; False if that died."""
    connection.close()
    pid = os.fork()
    if pid == 0:
        try:
            renderer.render(order_id)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


@app.task(acks_late=True, reject_on_worker_lost=True)
def invoice(order_id: int) -> None:
    key = f"order-{order_id}"
    Tally.objects.get_or_create(key=key)
    while Tally.objects.filter(key=key, count__lt=3).update(count=F("count") + 1):
        if survives(order_id):
            Tally.objects.filter(key=key).delete()
            return
    found = {"task": invoice.name, "args": [order_id], "replayed_at": None}
    DeadLetter.objects.update_or_create(key=key, defaults=found)


@app.task(acks_late=True, reject_on_worker_lost=True)
def replay() -> None:
    for letter in DeadLetter.objects.filter(replayed_at=None):
        Tally.objects.filter(key=letter.key).delete()
        invoice.delay(*letter.args)
        DeadLetter.objects.filter(pk=letter.pk).update(replayed_at=Now())
