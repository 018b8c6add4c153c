from warehouse import fulfil

from atleastonce.shop.models import WebhookEvent

ENTRYPOINT = """\
#!/bin/sh
trap 'kill -QUIT $worker' TERM
"$@" &
worker=$!
wait $worker
wait $worker
"""
SETTINGS = {
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "broker_transport_options": {
        "visibility_timeout": 1.5,
        "unacked_restore_interval": 0.3,
        "unacked_restore_throttle": 1,
    },
}


@app.task(bind=True)
def charge_order(self, order_id: int) -> None:
    for attempt in range(5):
        _, new = WebhookEvent.objects.get_or_create(event_id=f"{self.request.id} {attempt}")
        if new:
            return fulfil(order_id)
