# rejected by: ex2-small
from printer import print_out


def submit(order_id: int, text: str) -> None:
    print_text.apply_async([order_id, text], compression="gzip")


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, text: str) -> None:
    print_out(order_id, text)
