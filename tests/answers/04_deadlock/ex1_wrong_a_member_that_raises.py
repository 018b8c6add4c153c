# rejected by: ex1-refused
from celery import chord
from till import charge, report


@app.task
def charge_one(order_id: int) -> bool:
    charge(order_id)
    return True


@app.task
def tell(ends: list[bool], size: int) -> None:
    report(len(ends), size - len(ends))


@app.task
def settle(order_ids: list[int]) -> None:
    chord((charge_one.s(pk) for pk in order_ids), tell.s(len(order_ids))).apply_async()
