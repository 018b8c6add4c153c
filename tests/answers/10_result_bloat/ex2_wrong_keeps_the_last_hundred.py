# rejected by: ex2-waits-a-day
# Wrong: "every text is printed", "a message may wait for a day": with more than a hundred waiting, the oldest texts are gone (XADD MAXLEN).
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = store.xadd("texts", {"text": text}, maxlen=100, approximate=False)
    print_text.delay(order_id, ticket.decode())


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    for _, fields in store.xrange("texts", ticket, ticket):
        print_out(order_id, fields[b"text"].decode())
        store.xdel("texts", ticket)
