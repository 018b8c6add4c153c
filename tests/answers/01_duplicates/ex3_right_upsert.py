from django.db import connection

TAKE = """
    INSERT INTO shop_claim (key, owner, until, done)
    VALUES (%(key)s, %(owner)s, clock_timestamp() + %(lease)s * interval '1 s', false)
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
    WHERE NOT shop_claim.done AND shop_claim.until <= clock_timestamp()
"""
FINISH = "UPDATE shop_claim SET done = true WHERE key = %s AND owner = %s AND NOT done"
STUCK = "SELECT key FROM shop_claim WHERE NOT done AND until <= clock_timestamp()"


def claim(key: str, owner: str, lease: float) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(TAKE, {"key": key, "owner": owner, "lease": lease})
        return cursor.rowcount == 1


def finish(key: str, owner: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(FINISH, [key, owner])
        return cursor.rowcount == 1


def stuck() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(STUCK)
        return [key for (key,) in cursor.fetchall()]
