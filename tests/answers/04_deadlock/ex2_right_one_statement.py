from django.db import connection

MOVE = """
WITH wanted AS MATERIALIZED (
    SELECT id, name, balance FROM shop_account
    WHERE name IN (%(source)s, %(target)s) ORDER BY id FOR UPDATE
), rich AS (
    SELECT 1 FROM wanted WHERE name = %(source)s AND balance >= %(amount)s::numeric
), changes AS (
    SELECT id, CASE name WHEN %(source)s THEN -%(amount)s::numeric
                         ELSE %(amount)s::numeric END AS change
    FROM wanted WHERE EXISTS (SELECT 1 FROM rich)
), moved AS (
    UPDATE shop_account a SET balance = a.balance + c.change
    FROM changes c WHERE a.id = c.id RETURNING a.id, c.change
)
INSERT INTO shop_credit (account_id, amount, event_id)
SELECT id, change, %(reference)s FROM moved
"""


@app.task
def transfer(source: str, target: str, amount: str, reference: str) -> None:
    values = {"source": source, "target": target, "amount": amount, "reference": reference}
    with connection.cursor() as cursor:
        cursor.execute(MOVE, values)
