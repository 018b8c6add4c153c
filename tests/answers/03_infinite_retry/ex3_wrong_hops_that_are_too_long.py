# rejected by: ex3-once
from datetime import timedelta

from collector import collect
from django.db.models.functions import Now

from atleastonce.shop.models import Scheduled

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(**LATE)
def later(order_id: int, wait: float) -> None:
    if wait <= 0:
        collect.delay(order_id)
    else:
        hop = min(wait, 0.8)
        later.apply_async([order_id, wait - hop], countdown=hop)


@app.task
def tick() -> None:
    pass
