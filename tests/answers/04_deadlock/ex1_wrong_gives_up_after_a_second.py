# rejected by: ex1-pool-of-one
from celery import group
from celery.exceptions import TimeoutError
from till import charge, report

from atleastonce.shop.models import Order


@app.task
def charge_one(order_id: int) -> None:
    charge(order_id)


@app.task
def settle(order_ids: list[int]) -> None:
    members = group(charge_one.s(pk) for pk in order_ids).apply_async()
    try:
        members.get(timeout=1, propagate=False, disable_sync_subtasks=False)
    except TimeoutError:
        pass
    paid = Order.objects.filter(pk__in=order_ids, status="paid").count()
    report(paid, len(order_ids) - paid)
