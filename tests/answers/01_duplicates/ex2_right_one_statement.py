from django.db import connection

ONCE = """
    WITH event AS (
        INSERT INTO shop_webhookevent (event_id) VALUES (%(event)s)
        ON CONFLICT DO NOTHING RETURNING event_id
    ), account AS (
        UPDATE shop_account SET balance = balance + %(amount)s::numeric
        WHERE name = %(name)s AND EXISTS (SELECT 1 FROM event) RETURNING id
    )
    INSERT INTO shop_credit (account_id, amount, event_id)
    SELECT account.id, %(amount)s::numeric, event.event_id FROM account, event
"""


@app.task(acks_late=True, reject_on_worker_lost=True)
def credit(event_id: str, name: str, amount: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(ONCE, {"event": event_id, "name": name, "amount": amount})
