# rejected by: ex2-replay
import renderer
from django.db.models import F
from django.db.models.functions import Now

from atleastonce.shop.models import DeadLetter, Tally

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(**LATE)
def invoice(order_id: int) -> None:
    key = f"order-{order_id}"
    tally, _ = Tally.objects.get_or_create(key=key)
    if tally.count >= 3:
        found = {"task": invoice.name, "args": [order_id]}
        DeadLetter.objects.get_or_create(key=key, defaults=found)
        return
    Tally.objects.filter(key=key).update(count=F("count") + 1)
    renderer.render(order_id)
    Tally.objects.filter(key=key).delete()


@app.task(**LATE)
def replay() -> None:
    for letter in DeadLetter.objects.filter(replayed_at=None):
        Tally.objects.filter(key=letter.key).delete()
        invoice.delay(*letter.args)
        DeadLetter.objects.filter(pk=letter.pk).update(replayed_at=Now())
