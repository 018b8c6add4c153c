from till import charge, report

from atleastonce.shop.models import MailLog, Order
from atleastonce.shop.payments import PaymentRefused


@app.task
def settle(order_ids: list[int]) -> None:
    for order_id in order_ids:
        charge_one.delay(order_id)
    look.delay(order_ids)


@app.task
def charge_one(order_id: int) -> None:
    try:
        charge(order_id)
    except PaymentRefused:
        MailLog.objects.create(email=f"{order_id}@refused", subject="refused")


@app.task(bind=True, max_retries=None, default_retry_delay=0.2)
def look(self, order_ids: list[int]) -> None:
    paid = Order.objects.filter(pk__in=order_ids, status="paid").count()
    refused = MailLog.objects.filter(email__in=[f"{pk}@refused" for pk in order_ids]).count()
    if paid + refused < len(order_ids):
        raise self.retry()
    report(paid, refused)
