# rejected by: ex2-equal
# Wrong: a janitor runs "now and then before that, too, also while a message waits", "several texts for one order are several": one printed, the janitor takes the other, which waits.
from uuid import uuid4

from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    ticket = uuid4().hex
    store.hset(f"texts-{order_id}", ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.hget(f"texts-{order_id}", ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.sadd("printed", order_id)


def tidy() -> None:
    """What is printed may go."""
    for order_id in map(int, store.smembers("printed")):
        store.unlink(f"texts-{order_id}")
        store.srem("printed", order_id)
