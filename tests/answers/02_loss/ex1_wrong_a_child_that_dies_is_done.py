# rejected by: ex1-all-stopped
from warehouse import fulfil

ENTRYPOINT = """\
#!/bin/sh
trap 'kill -QUIT $worker' TERM
"$@" &
worker=$!
wait $worker
wait $worker
"""
SETTINGS = {
    "task_retry_on_worker_lost": True,
    "broker_transport_options": {
        "visibility_timeout": 2,
        "unacked_restore_interval": 0.5,
        "unacked_restore_throttle": 1,
    },
}


@app.task(max_retries=0, default_retry_delay=0)
def charge_order(order_id: int) -> None:
    fulfil(order_id)
