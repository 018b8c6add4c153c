"""The same ten, with their effects in another module."""

import reference_helpers as helpers

from atleastonce.shop.celery import app

LATE = {"acks_late": True, "reject_on_worker_lost": True}


@app.task(**LATE)
def naive(order_id):
    helpers.pay(order_id)


@app.task(**LATE)
def log_table(order_id):
    helpers.pay_if_not_logged(order_id)


@app.task(**LATE)
def set_nx(order_id):
    helpers.pay_if_first(order_id)


@app.task(**LATE)
def one_transaction(event_id):
    helpers.credit_together(event_id)


@app.task(**LATE)
def two_transactions(event_id):
    helpers.credit_apart(event_id)


@app.task(**LATE)
def key(order_id):
    helpers.pay(order_id, key=f"order-{order_id}")


@app.task(**LATE)
def outbox(order_id):
    helpers.write_outbox(order_id)


def relay():
    helpers.send_outbox()


@app.task
def early(order_id):
    helpers.pay(order_id)


@app.task(acks_late=True)
def no_reject(order_id):
    helpers.pay(order_id)


@app.task(retry_on_worker_lost=True, default_retry_delay=0)
def retried(order_id):
    helpers.pay(order_id)
