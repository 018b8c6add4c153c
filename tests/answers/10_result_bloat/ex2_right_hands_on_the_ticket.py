from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = f"text-{uuid4()}"
    store.set(ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    """Print; another task cleans up, at a lower priority."""
    found = store.get(ticket)
    if found is not None:
        print_out(order_id, found.decode())
        drop.apply_async([ticket], priority=9)


@app.task(acks_late=True, reject_on_worker_lost=True)
def drop(ticket: str) -> None:
    store.delete(ticket)
