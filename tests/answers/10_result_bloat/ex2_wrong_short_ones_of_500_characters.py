# rejected by: ex2-small
# Wrong: "no message is larger than 4,000 bytes in the broker": 500 times an umlaut make 7,961 bytes, 500 emoji 14,961.
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    if len(text) <= 500:
        print_text.delay(order_id, text=text)
        return
    ticket = f"text-{uuid4()}"
    store.set(ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str = "", text: str = "") -> None:
    if not ticket:
        print_out(order_id, text)
        return
    found = store.get(ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.delete(ticket)
