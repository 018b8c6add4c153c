# rejected by: ex1-one-hangs
from till import charge, report

from atleastonce.shop.models import Order


@app.task
def settle(order_ids: list[int]) -> None:
    for order_id in order_ids:
        charge_one.delay(order_id)
    finish.apply_async([order_ids], countdown=2)


@app.task
def charge_one(order_id: int) -> None:
    charge(order_id)


@app.task
def finish(order_ids: list[int]) -> None:
    paid = Order.objects.filter(pk__in=order_ids, status="paid").count()
    report(paid, len(order_ids) - paid)
