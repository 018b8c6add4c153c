# rejected by: ex2-whole-worker
import renderer
from django.db.models import F
from django.db.models.functions import Now

from atleastonce.shop.models import DeadLetter, Tally

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(bind=True, retry_on_worker_lost=True, default_retry_delay=0, max_retries=5, **LATE)
def invoice(self, order_id: int) -> None:
    key = f"order-{order_id}"
    if self.request.retries >= 3:
        found = {"task": invoice.name, "args": [order_id], "replayed_at": None}
        DeadLetter.objects.update_or_create(key=key, defaults=found)
        return
    renderer.render(order_id)


@app.task(**LATE)
def replay() -> None:
    for letter in DeadLetter.objects.filter(replayed_at=None):
        Tally.objects.filter(key=letter.key).delete()
        invoice.delay(*letter.args)
        DeadLetter.objects.filter(pk=letter.pk).update(replayed_at=Now())
