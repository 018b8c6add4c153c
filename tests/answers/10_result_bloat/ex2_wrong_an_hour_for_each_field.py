# rejected by: ex2-waits-a-day
# Wrong: "whatever has an expiry of a day or less in Redis is gone": a field of a hash may have one too (HEXPIRE, an hour).
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = uuid4().hex
    with store.pipeline() as pipe:
        pipe.hset("texts", ticket, text)
        pipe.hexpire("texts", 3_600, ticket)
        pipe.execute()
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.hget("texts", ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.hdel("texts", ticket)
