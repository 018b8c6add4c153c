# rejected by: ex2-waits-a-day
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = uuid4().hex
    store.hset("texts", ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.hget("texts", ticket)
    if found is not None:
        # Whoever has the text in hand needs no copy of it.
        store.sadd("taken", ticket)
        print_out(order_id, found.decode())


def tidy() -> None:
    for ticket in store.sscan_iter("taken"):
        store.hdel("texts", ticket)
        store.srem("taken", ticket)
