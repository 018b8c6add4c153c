from django.db import connection, transaction

GIVE = """
    WITH the_member AS (
        INSERT INTO shop_member (name, points, email, version) VALUES (%s, 0, '', 0)
        ON CONFLICT (name) DO UPDATE SET points = shop_member.points RETURNING id
    ), the_grant AS (
        INSERT INTO shop_grant (grant_id, member_id, points)
        SELECT %s, id, %s FROM the_member
        ON CONFLICT DO NOTHING RETURNING member_id, points
    ) SELECT member_id, points FROM the_grant
"""
ADD = "UPDATE shop_member SET points = points + %s WHERE id = %s"


@app.task(acks_late=True, reject_on_worker_lost=True)
@transaction.atomic
def grant(grant_id, name, points):
    with connection.cursor() as cursor:
        cursor.execute(GIVE, [name, grant_id, points])
        for member, more in cursor.fetchall():
            cursor.execute(ADD, [more, member])
