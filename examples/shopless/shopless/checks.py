"""What a sweep starts from, and what it looks at."""

from shopless.tasks import connect

TABLES = """
CREATE TABLE orders (id int PRIMARY KEY, status text DEFAULT 'new');
CREATE TABLE charges (id serial PRIMARY KEY, order_id int REFERENCES orders);
"""
WORLD = """
SELECT (SELECT count(*) FROM charges),
       (SELECT count(*) FROM orders WHERE status = 'paid')
"""


def tables():
    """Your migrations, such as Django's or Alembic's."""
    with connect() as db:
        db.execute(TABLES)


def order():
    """One order that is not paid."""
    with connect() as db:
        db.execute("INSERT INTO orders (id) VALUES (1)")


def start():
    """Both, for the command line."""
    tables()
    order()


def world():
    """Count everything that the task changes."""
    with connect() as db:
        charges, paid = db.execute(WORLD).fetchone()
    return {"charges": charges, "orders paid": paid}
