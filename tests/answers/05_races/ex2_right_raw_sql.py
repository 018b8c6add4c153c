from django.db import connection, transaction

LOCK = "SELECT id FROM shop_account WHERE name = %s FOR UPDATE"
TAKE = """
    WITH paid AS (
        UPDATE shop_account SET balance = balance - %s::numeric
        WHERE name = %s AND balance >= %s::numeric AND NOT EXISTS (
            SELECT FROM shop_withdrawal WHERE request_id = %s)
        RETURNING id
    )
    INSERT INTO shop_withdrawal (request_id, account_id, amount)
    SELECT %s, id, %s::numeric FROM paid
"""
SEATS = "SELECT id FROM shop_workshop WHERE title = %s FOR NO KEY UPDATE"
COME = """
    INSERT INTO shop_signup (workshop_id, name)
    SELECT w.id, %s FROM shop_workshop w WHERE w.title = %s
        AND NOT EXISTS (
            SELECT FROM shop_signup s WHERE s.workshop_id = w.id AND s.name = %s)
        AND w.seats > (SELECT count(*) FROM shop_signup s WHERE s.workshop_id = w.id)
"""


@app.task(acks_late=True, reject_on_worker_lost=True)
@transaction.atomic
def withdraw(request_id, name, amount):
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [name])
        values = [amount, name, amount, request_id, request_id, amount]
        cursor.execute(TAKE, values)


@app.task(acks_late=True, reject_on_worker_lost=True)
@transaction.atomic
def sign_up(title, name):
    with connection.cursor() as cursor:
        cursor.execute(SEATS, [title])
        cursor.execute(COME, [name, title, name])
