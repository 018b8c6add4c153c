# rejected by: ex1-child-dies
from warehouse import fulfil

ENTRYPOINT = '#!/bin/sh\nexport REMAP_SIGTERM=SIGQUIT\nexec "$@"\n'
SETTINGS = {
    "task_acks_late": True,
    "worker_soft_shutdown_timeout": 0.2,
    "broker_transport_options": {
        "visibility_timeout": 2,
        "unacked_restore_interval": 0.5,
        "unacked_restore_throttle": 1,
    },
}


@app.task
def charge_order(order_id: int) -> None:
    fulfil(order_id)
