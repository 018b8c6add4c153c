from collector import collect

HOP = 0.2  # half of the visibility timeout


@app.task(acks_late=True, reject_on_worker_lost=True)
def later(order_id: int, wait: float) -> None:
    if wait <= 0:
        collect.delay(order_id)
    else:
        later.apply_async([order_id, wait - HOP], countdown=HOP)


@app.task
def tick() -> None:
    """Nothing waits here."""
