# rejected by: ex1-one-hangs
from till import charge, report

from atleastonce.shop.payments import PaymentRefused


@app.task
def settle(order_ids: list[int], paid: int = 0, refused: int = 0) -> None:
    if not order_ids:
        report(paid, refused)
        return
    try:
        charge(order_ids[0])
        paid += 1
    except PaymentRefused:
        refused += 1
    settle.delay(order_ids[1:], paid, refused)
