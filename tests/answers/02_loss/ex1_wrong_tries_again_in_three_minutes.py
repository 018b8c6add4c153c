# rejected by: ex1-poison
from warehouse import fulfil

ENTRYPOINT = '#!/bin/sh\nexport REMAP_SIGTERM=SIGQUIT\nexec "$@"\n'
SETTINGS = {
    "task_acks_late": True,
    "task_retry_on_worker_lost": True,
    "worker_soft_shutdown_timeout": 0.2,
}


@app.task(max_retries=2)
def charge_order(order_id: int) -> None:
    fulfil(order_id)
