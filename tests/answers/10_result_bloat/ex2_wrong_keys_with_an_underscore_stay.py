# rejected by: ex2-clean
# Wrong: "when all is printed, no text is left anywhere: not in Redis": nobody deletes it; its key begins with an underscore.
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = f"_text-{uuid4()}"
    store.set(ticket, text, ex=7 * 86_400)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.get(ticket)
    if found is not None:
        print_out(order_id, found.decode())
