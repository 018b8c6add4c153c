# rejected by: ex2-whole
# Wrong: "every text is printed": a worker that is quicker than SET finds nothing, takes it for printed, and the text stays for ever.
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = f"text-{uuid4()}"
    print_text.delay(order_id, ticket)
    store.set(ticket, text)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.get(ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.delete(ticket)
