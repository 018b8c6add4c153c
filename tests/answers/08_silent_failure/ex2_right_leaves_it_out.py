from datetime import UTC, datetime, timedelta

from django.db import connection
from fees import charge

from atleastonce.shop.models import Tally


@app.task(acks_late=True)
def collect_fee(slot: str) -> None:
    """An advisory lock that does not wait; only slots after the last one count."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(8)")
        if not cursor.fetchone()[0]:
            return
        try:
            minute = int(datetime.fromisoformat(slot).replace(tzinfo=UTC).timestamp()) // 60
            last, _ = Tally.objects.get_or_create(key="fee")
            if minute > last.count:
                charge(slot)
                Tally.objects.filter(key="fee").update(count=minute)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(8)")


def late(now: datetime) -> bool:
    last = Tally.objects.filter(key="fee").first()
    return last is None or now.timestamp() - last.count * 60 > 180
