import zlib
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    if len(text.encode()) < 300:
        print_text.delay(order_id, text=text)
        return
    ticket = f"text-{uuid4()}"
    store.set(ticket, zlib.compress(text.encode()), ex=7 * 86_400)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str = "", text: str = "") -> None:
    if ticket:
        found = store.get(ticket)
        if found is None:
            return
        text = zlib.decompress(found).decode()
    print_out(order_id, text)
    if ticket:
        store.delete(ticket)
