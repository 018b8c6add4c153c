# rejected by: ex2-waits-a-day
# Wrong: "a message may wait for a day before a worker takes it": the next submit after an hour deletes the text that waits.
import time
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    forget_old()
    ticket = f"text-{uuid4()}"
    store.set(ticket, text)
    store.zadd("since", {ticket: time.time()})
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.get(ticket)
    if found is not None:
        print_out(order_id, found.decode())
        drop(ticket)


def drop(ticket):
    store.unlink(ticket)
    store.zrem("since", ticket)


def forget_old():
    """Orphans: nobody has come for them for an hour."""
    for ticket in store.zrangebyscore("since", "-inf", time.time() - 3_600):
        drop(ticket)
