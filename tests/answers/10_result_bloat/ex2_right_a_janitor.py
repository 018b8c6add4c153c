from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = uuid4().hex
    store.hset("texts", ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, retry_on_worker_lost=True, default_retry_delay=0)
def print_text(order_id: int, ticket: str) -> None:
    found = store.hget("texts", ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.sadd("printed", ticket)


@app.task
def tidy() -> None:
    for ticket in store.sscan_iter("printed"):
        store.hdel("texts", ticket)
        store.srem("printed", ticket)
