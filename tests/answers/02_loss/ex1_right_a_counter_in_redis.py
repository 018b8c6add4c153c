import redis
from django.conf import settings
from warehouse import fulfil

ENTRYPOINT = '#!/bin/sh\nREMAP_SIGTERM=SIGQUIT exec "$@"\n'
SETTINGS = {
    "worker_soft_shutdown_timeout": 0.5,
    "broker_transport_options": {
        "visibility_timeout": 2,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
    },
}


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def charge_order(self, order_id: int) -> None:
    begun = redis.Redis.from_url(settings.REDIS_URL).incr(f"begun-{self.request.id}")
    if begun <= 4:
        fulfil(order_id)
