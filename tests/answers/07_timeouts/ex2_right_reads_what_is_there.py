from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from mill import grind, tidy


@app.task(bind=True, max_retries=None)
def build(self, name: str, parts: int) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT number FROM part WHERE report = %s", [name])
            done = {number for (number,) in cursor.fetchall()}
        for part in set(range(parts)) - done:
            grind(name, part)
        tidy.delay(name)
    except SoftTimeLimitExceeded:
        connection.close()
        raise self.retry(countdown=0)
