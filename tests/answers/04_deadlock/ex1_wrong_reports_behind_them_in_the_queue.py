# rejected by: ex1-one-hangs
from till import charge, report

from atleastonce.shop.models import Order
from atleastonce.shop.payments import PaymentRefused


@app.task
def settle(order_ids: list[int]) -> None:
    for order_id in order_ids:
        charge_one.delay(order_id)
    tell.apply_async([order_ids])  # behind them in the queue


@app.task
def charge_one(order_id: int) -> None:
    try:
        charge(order_id)
    except PaymentRefused:
        pass


@app.task
def tell(order_ids: list[int]) -> None:
    paid = Order.objects.filter(pk__in=order_ids, status="paid").count()
    report(paid, len(order_ids) - paid)
