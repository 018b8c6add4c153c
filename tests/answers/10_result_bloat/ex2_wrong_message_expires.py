# rejected by: ex2-waits-a-day
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = f"text-{uuid4()}"
    store.set(ticket, text, ex=2 * 86_400)
    print_text.apply_async([order_id, ticket], expires=12 * 3600)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.get(ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.delete(ticket)
