# rejected by: ex2-quarantine
import redis
import renderer
from django.conf import settings
from django.utils import timezone

from atleastonce.shop.models import DeadLetter

counts = redis.Redis.from_url(settings.REDIS_URL)


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def invoice(self, order_id: int) -> None:
    count = f"tries-{self.request.id}"
    if counts.incr(count) > 3:
        letter, _ = DeadLetter.objects.get_or_create(key=f"order-{order_id}")
        letter.task, letter.args, letter.replayed_at = self.name, [order_id], None
        letter.save()
        return
    counts.expire(count, 7 * 86400)
    renderer.render(order_id)
    counts.delete(count)


@app.task(acks_late=True, reject_on_worker_lost=True)
def replay() -> None:
    for letter in DeadLetter.objects.filter(replayed_at__isnull=True):
        invoice.apply_async(letter.args)
        letter.replayed_at = timezone.now()
        letter.save(update_fields=["replayed_at"])
