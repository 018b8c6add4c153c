# rejected by: ex2-clean
from uuid import uuid4

from printer import print_out, store

SIZE = 2_000


def submit(order_id: int, text: str) -> None:
    ticket = uuid4().hex
    pieces = [text[at : at + SIZE] for at in range(0, len(text), SIZE)]
    store.mset({f"{ticket}-count": len(pieces)} | {f"{ticket}-{n}": piece for n, piece in enumerate(pieces)})
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    count = store.get(f"{ticket}-count")
    if count is not None:
        pieces = [f"{ticket}-{n}" for n in range(int(count))]
        print_out(order_id, b"".join(store.mget(pieces) if pieces else []).decode())
        store.delete(f"{ticket}-count")
