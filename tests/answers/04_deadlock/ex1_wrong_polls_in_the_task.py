# rejected by: ex1-pool-of-one
import time

from celery import group
from till import charge, report

from atleastonce.shop.payments import PaymentRefused


@app.task
def charge_one(order_id: int) -> None:
    charge(order_id)


@app.task
def settle(order_ids: list[int]) -> None:
    members = group(charge_one.s(pk) for pk in order_ids).apply_async()
    while not members.ready():
        time.sleep(0.5)
    paid = sum(member.successful() for member in members)
    report(paid, len(order_ids) - paid)
