# rejected by: ex2-equal
# Wrong: "Several texts for one order are several": a number is given anew once texts before it are printed, and the text that waits under it is overwritten.
from printer import print_out, store


def submit(order_id: int, text: str) -> None:
    key = f"texts-{order_id}"
    number = store.hlen(key) + 1  # the next of this order
    store.hset(key, number, text)
    print_text.delay(order_id, number)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, number: int) -> None:
    key = f"texts-{order_id}"
    found = store.hget(key, number)
    if found is not None:
        print_out(order_id, found.decode())
        store.hdel(key, number)
