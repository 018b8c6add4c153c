# rejected by: ex3-once
# Wrong: a task of its own keeps the process in place of `later`.
from collector import collect

from atleastonce.waiting import pause


@app.task(acks_late=True, reject_on_worker_lost=True)
def later(order_id: int, wait: float) -> None:
    hop.delay(order_id, wait)


@app.task(acks_late=True, reject_on_worker_lost=True)
def hop(order_id: int, wait: float) -> None:
    if wait <= 0:
        collect.delay(order_id)
    else:
        pause(0.1)
        hop.delay(order_id, wait - 0.1)


@app.task
def tick() -> None:
    pass
