# rejected by: ex2-equal
from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    store.set(f"text-{order_id}", text)
    print_text.delay(order_id)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int) -> None:
    found = store.get(f"text-{order_id}")
    if found is not None:
        print_out(order_id, found.decode())
        store.delete(f"text-{order_id}")
