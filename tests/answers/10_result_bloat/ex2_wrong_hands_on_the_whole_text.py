# rejected by: ex2-small
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = f"text-{uuid4()}"
    store.set(ticket, text)
    fetch.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def fetch(order_id: int, ticket: str) -> None:
    """Take the text out, and hand it to the task that prints."""
    found = store.get(ticket)
    if found is not None:
        print_text.delay(order_id, found.decode())
        store.delete(ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, text: str) -> None:
    print_out(order_id, text)
