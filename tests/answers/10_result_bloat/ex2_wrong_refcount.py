# rejected by: ex2-again
from uuid import uuid4

from printer import print_out, store


import hashlib


def submit(order_id: int, text: str) -> None:
    digest = hashlib.sha256(text.encode()).hexdigest()
    store.set(f"text-{digest}", text)
    store.incr(f"wanted-{digest}")
    print_text.delay(order_id, digest)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, digest: str) -> None:
    found = store.get(f"text-{digest}")
    if found is None:
        return
    print_out(order_id, found.decode())
    if store.decr(f"wanted-{digest}") <= 0:
        store.delete(f"text-{digest}", f"wanted-{digest}")
