# rejected by: ex1-one-hangs
from celery import chord
from till import charge, report

from atleastonce.shop.payments import PaymentRefused


@app.task
def settle(order_ids: list[int]) -> None:
    parts = [charge_some.s(order_ids[:1]), charge_some.s(order_ids[1:])]
    chord(parts, count.s()).apply_async()


@app.task
def charge_some(order_ids: list[int]) -> list[bool]:
    return [paid(order_id) for order_id in order_ids]


def paid(order_id):
    try:
        charge(order_id)
    except PaymentRefused:
        return False
    return True


@app.task
def count(results: list[list[bool]]) -> None:
    found = [one for part in results for one in part]
    report(found.count(True), found.count(False))
