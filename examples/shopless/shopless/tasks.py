"""One job, twice: charge an order once."""

import os

import psycopg

from shopless.celery import app

BOOK = "INSERT INTO charges (order_id) VALUES (%s)"
PAY = "UPDATE orders SET status = 'paid' WHERE id = %s"


def connect():
    """A connection; its block commits at the end."""
    return psycopg.connect(os.environ["DATABASE_URL"])


@app.task
def charge(order_id):
    """It looks first, and a crash fits between its two commits."""
    with connect() as db:
        look = "SELECT status FROM orders WHERE id = %s"
        (status,) = db.execute(look, [order_id]).fetchone()
    if status == "paid":
        return
    with connect() as db:
        db.execute(BOOK, [order_id])
    with connect() as db:
        db.execute(PAY, [order_id])


@app.task
def charge_once(order_id):
    """One commit, and the database says who was first."""
    with connect() as db:
        if db.execute(f"{PAY} AND status = 'new'", [order_id]).rowcount:
            db.execute(BOOK, [order_id])
