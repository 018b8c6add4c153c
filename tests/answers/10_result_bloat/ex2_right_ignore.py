from uuid import uuid4

from printer import print_out, store


from celery.exceptions import Ignore


def submit(order_id: int, text: str) -> None:
    ticket = f"text-{uuid4()}"
    store.set(ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.get(ticket)
    if found is None:
        raise Ignore("it was printed")
    print_out(order_id, found.decode())
    store.delete(ticket)
