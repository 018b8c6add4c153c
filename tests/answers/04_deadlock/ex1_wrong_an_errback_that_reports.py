# rejected by: ex1-refused
from celery import chord
from till import charge, report


@app.task
def charge_one(order_id: int) -> bool:
    charge(order_id)
    return True


@app.task
def tell(ends: list[bool]) -> None:
    report(len(ends), 0)


@app.task
def failed(size: int) -> None:
    report(size - 1, 1)


@app.task
def settle(order_ids: list[int]) -> None:
    body = tell.s().on_error(failed.si(len(order_ids)))
    chord([charge_one.s(pk) for pk in order_ids], body).apply_async()
