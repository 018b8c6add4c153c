# rejected by: ex1-child-dies
from warehouse import fulfil

ENTRYPOINT = '#!/bin/sh\nexec "$@"\n'
SETTINGS = {"worker_soft_shutdown_timeout": 0.2}


@app.task
def charge_order(order_id: int) -> None:
    fulfil(order_id)
