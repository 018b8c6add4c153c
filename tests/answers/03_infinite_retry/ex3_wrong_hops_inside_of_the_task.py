# rejected by: ex3-once
from collector import collect

from atleastonce.waiting import pause

HOP = 0.3


@app.task(acks_late=True, reject_on_worker_lost=True)
def later(order_id: int, wait: float) -> None:
    if wait <= 0:
        collect.delay(order_id)
    else:
        pause(HOP)
        later.delay(order_id, wait - HOP)


@app.task
def tick() -> None:
    pass
