# rejected by: ex1-sent-again
from uuid import uuid4

import redis
from django.conf import settings

from atleastonce.shop import payments
from atleastonce.shop.models import Order



@app.task(acks_late=True, reject_on_worker_lost=True)
def charge_order(order_id: int) -> None:
    store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)
    store.set(f"charge-key:{order_id}", uuid4().hex, nx=True)
    order = Order.objects.get(pk=order_id)
    payments.charge(order.customer, order.amount, key=store.get(f"charge-key:{order_id}"))
    Order.objects.filter(pk=order_id).update(status="paid")
