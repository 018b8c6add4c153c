# rejected by: ex1-pool-of-one
from celery import group
from celery.result import allow_join_result
from till import charge, report

from atleastonce.shop.payments import PaymentRefused


@app.task
def charge_one(order_id: int) -> bool:
    try:
        charge(order_id)
    except PaymentRefused:
        return False
    return True


@app.task
def settle(order_ids: list[int]) -> None:
    members = group(charge_one.s(pk) for pk in order_ids).apply_async()
    with allow_join_result():
        ends = members.get()
    report(ends.count(True), ends.count(False))
