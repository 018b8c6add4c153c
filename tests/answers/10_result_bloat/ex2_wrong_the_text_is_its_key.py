# rejected by: ex2-equal
import hashlib

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = f"text-{hashlib.sha256(text.encode()).hexdigest()}"
    store.set(ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.get(ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.delete(ticket)
