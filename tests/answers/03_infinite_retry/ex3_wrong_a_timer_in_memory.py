# rejected by: ex3-worker-dies
import threading
from datetime import timedelta

from collector import collect
from django.db.models.functions import Now

from atleastonce.shop.models import Scheduled

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(**LATE)
def later(order_id: int, wait: float) -> None:
    timer = threading.Timer(wait, collect.delay, [order_id])
    timer.daemon = True
    timer.start()


@app.task
def tick() -> None:
    pass
