# rejected by: ex1-ends-in-time
from warehouse import fulfil

ENTRYPOINT = '#!/bin/sh\nexport REMAP_SIGTERM=SIGQUIT\n"$@"\n'
SETTINGS = {
    "task_acks_late": True,
    "task_retry_on_worker_lost": True,
    "worker_soft_shutdown_timeout": 0.2,
    "broker_transport_options": {
        "visibility_timeout": 2,
        "unacked_restore_interval": 0.5,
        "unacked_restore_throttle": 1,
    },
}


@app.task(max_retries=2, default_retry_delay=0)
def charge_order(order_id: int) -> None:
    fulfil(order_id)
