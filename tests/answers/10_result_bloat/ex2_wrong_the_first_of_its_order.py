# rejected by: ex2-equal
# Wrong: "every text is printed", "several texts for one order are several": two processes print the same first text, and pop two; the second is lost.
from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    store.rpush(f"texts-{order_id}", text)
    print_text.delay(order_id)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int) -> None:
    """One message for each text of an order: it prints the first that is left."""
    key = f"texts-{order_id}"
    found = store.lindex(key, 0)
    if found is not None:
        print_out(order_id, found.decode())
        store.lpop(key)
