"""A project of its own: two tasks, Celery and Postgres, and no Django."""
