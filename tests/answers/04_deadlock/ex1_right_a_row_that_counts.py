from django.db import connection
from till import charge, report

from atleastonce.shop.models import Tally
from atleastonce.shop.payments import PaymentRefused


@app.task(bind=True)
def settle(self, order_ids: list[int]) -> None:
    for what in ("left", "refused"):
        Tally.objects.create(key=f"{self.request.id} {what}", count=0)
    Tally.objects.filter(key=f"{self.request.id} left").update(count=len(order_ids))
    for order_id in order_ids:
        charge_one.delay(self.request.id, len(order_ids), order_id)


def add(key: str, number: int) -> int:
    with connection.cursor() as cursor:
        change = "UPDATE shop_tally SET count = count + %s WHERE key = %s RETURNING count"
        cursor.execute(change, [number, key])
        return cursor.fetchone()[0]


@app.task
def charge_one(batch: str, size: int, order_id: int) -> None:
    try:
        charge(order_id)
    except PaymentRefused:
        add(f"{batch} refused", 1)
    if add(f"{batch} left", -1) == 0:
        refused = add(f"{batch} refused", 0)
        report(size - refused, refused)
