from datetime import UTC, datetime, timedelta
from secrets import SystemRandom

from django.db import transaction
from requests import RequestException

from atleastonce.shop import payments
from atleastonce.shop.models import Order

LIMITS = (60, 120, 240, 480, 600)


@app.task(bind=True, max_retries=len(LIMITS), acks_late=True)
def charge_order(self, order_id: int) -> None:
    try:
        with transaction.atomic():
            order = Order.objects.select_for_update().get(pk=order_id)
            payments.charge(order.customer, order.amount, key=f"shop-order-{order_id}")
            Order.objects.filter(pk=order_id).update(status="paid")
    except RequestException as error:
        limit = LIMITS[min(self.request.retries, 4)]
        wait = timedelta(seconds=SystemRandom().random() * limit)
        raise self.retry(exc=error, eta=datetime.now(UTC) + wait)
