# rejected by: ex2-waits-a-day
# Wrong: "a message may wait for a day", "the janitor tells the time by Python's time": it does (time.time_ns), and takes what is an hour old.
import time
from uuid import uuid4

from printer import print_out, store

HOUR = 3_600_000_000_000


def submit(order_id: int, text: str) -> None:
    ticket = f"text-{uuid4()}"
    store.set(ticket, text)
    store.zadd("since", {ticket: time.time_ns()})
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


def tidy() -> None:
    for ticket in store.zrangebyscore("since", "-inf", time.time_ns() - HOUR):
        drop(ticket)
